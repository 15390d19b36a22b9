"""The examples of the README give what it shows."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

README = Path(__file__).parents[1] / "README.md"


def test_the_examples_of_the_readme_give_what_it_shows() -> None:
    if not README.exists():  # the tests may lie alone, beside an installed wheel
        pytest.skip("no README beside these tests")
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    result = doctest.testfile(str(README), module_relative=False, optionflags=flags)

    assert result.attempted > 10
    assert result.failed == 0
