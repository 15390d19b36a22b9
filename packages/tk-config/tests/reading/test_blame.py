from __future__ import annotations

import pytest

from tk_config import Config
from tk_config.reading.blame import place_in_config


def test_the_innermost_line_of_the_config_is_named(write: pytest.FixtureRequest) -> None:
    path = write(a_py="def f():\n    return int('x')\na = f()\n")  # type: ignore[operator]

    with pytest.raises(ValueError, match="invalid literal") as caught:
        Config.fromfile(path)

    assert str(place_in_config(caught.value)).endswith("a.py:2")


def test_an_exception_from_elsewhere_has_no_place() -> None:
    assert place_in_config(ValueError()) is None
