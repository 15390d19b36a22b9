from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest


def test_the_entry_point_names_a_module_that_is_there() -> None:
    project = Path(__file__).parents[1] / "pyproject.toml"
    if not project.exists():
        pytest.skip("the tests lie outside of the source tree")

    assert 'tk-evaluator = "tk_evaluator.announced"' in project.read_text()
    assert import_module("tk_evaluator.announced").__name__ == "tk_evaluator.announced"
