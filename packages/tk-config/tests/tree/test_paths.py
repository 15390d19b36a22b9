from __future__ import annotations

import pytest

from tk_config import Config, MissingKeyError


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("a.c", r"'a' has no key 'c' .*known: b"),
        ("a.b.c.d", "goes below 'a.b.0'|addresses a list"),
        ("a.b.5", "outside the list of 1 items"),
        ("a.b.0.x", r"goes below 'a\.b\.0'"),
        ("aa", "did you mean 'a'|known: a"),
    ],
)
def test_a_path_that_leads_nowhere_says_where_it_ends(path: str, said: str) -> None:
    with pytest.raises(MissingKeyError, match=said):
        Config({"a": {"b": [1]}}).origin(path)
