from __future__ import annotations

from pathlib import Path

import pytest

import tk_evaluator.registration
from tk_registry import EVALUATOR, METRICS


def test_the_evaluator_and_the_metrics_are_found_by_name() -> None:
    assert EVALUATOR.get("Evaluator") is tk_evaluator.Evaluator
    assert METRICS.get("DumpResults") is tk_evaluator.DumpResults


def test_the_entry_point_names_this_module() -> None:
    project = Path(__file__).parents[1] / "pyproject.toml"
    if not project.exists():
        pytest.skip("the tests lie outside of the source tree")

    assert f'tk-evaluator = "{tk_evaluator.registration.__name__}"' in project.read_text()
