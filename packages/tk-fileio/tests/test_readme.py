from __future__ import annotations

import doctest
from collections.abc import Iterator
from pathlib import Path

import pytest

from tk_fileio.backends import table

README = Path(__file__).parent.parent / "README.md"


@pytest.fixture(autouse=True)
def _restored() -> Iterator[None]:
    before = dict(table._classes), dict(table._schemes)
    yield
    table._classes.clear()
    table._classes.update(before[0])
    table._schemes.clear()
    table._schemes.update(before[1])


@pytest.mark.skipif(not README.exists(), reason="the tests run without their source tree")
def test_the_examples_of_the_readme_are_true(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    done = doctest.testfile(str(README), module_relative=False)

    assert done.attempted > 10
    assert done.failed == 0
