from __future__ import annotations

import pytest

import tk_config
from tk_config import ConfigError, ConfigWarning, MissingKeyError

KINDS = [
    value
    for value in vars(tk_config).values()
    if isinstance(value, type) and issubclass(value, BaseException)
]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_each_error_is_of_one_family(kind: type[BaseException]) -> None:
    assert issubclass(kind, (ConfigError, ConfigWarning))


def test_the_text_of_a_key_error_is_shown_without_quotes_around_it() -> None:
    assert str(MissingKeyError("there is no 'a'")) == "there is no 'a'"
    assert issubclass(MissingKeyError, KeyError)
