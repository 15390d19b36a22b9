from __future__ import annotations

import doctest
import os
from pathlib import Path

import pytest


def test_the_examples_of_the_readme_give_what_it_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    readme = Path(__file__).parents[1] / "README.md"
    if not readme.exists():
        pytest.skip("the tests lie outside of the source tree")
    monkeypatch.chdir(tmp_path)
    found = doctest.testfile(os.fspath(readme), module_relative=False)

    assert found.attempted > 0
    assert found.failed == 0
