"""The examples of the README give what it shows, and its table lists every name."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

import tk_dist

README = Path(__file__).parents[1] / "README.md"


@pytest.fixture(autouse=True)
def readme_is_here() -> None:
    if not README.exists():  # the tests may lie alone, beside an installed wheel
        pytest.skip("no README beside these tests")


def test_the_examples_of_the_readme_give_what_it_shows() -> None:
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    result = doctest.testfile(str(README), module_relative=False, optionflags=flags)

    assert result.attempted > 5
    assert result.failed == 0


def test_the_table_lists_every_public_name() -> None:
    text = README.read_text()

    assert [name for name in tk_dist.__all__ if f"`{name}`" not in text] == []
