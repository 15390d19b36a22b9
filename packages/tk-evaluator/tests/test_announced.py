from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest
import tomllib


def test_the_entry_point_names_a_module_that_is_there() -> None:
    project = Path(__file__).parents[1] / "pyproject.toml"
    if not project.exists():
        pytest.skip("the tests lie outside of the source tree")
    entries = tomllib.loads(project.read_text())["project"]["entry-points"]["tk.registry"]

    assert [import_module(module).__name__ for module in entries.values()] == [
        "tk_evaluator.announced"
    ]
