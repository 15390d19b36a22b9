"""Mistakes in the values of metrics and evaluators, found by a check without building."""

from __future__ import annotations

from typing import Any

import pytest

from tk_evaluator import Evaluator, SettingsError
from tk_registry import EVALUATOR, METRICS


@pytest.mark.parametrize(
    ("settings", "path", "text"),
    [
        ({"type": "Accuracy", "top_k": 0}, "top_k", "1 or more or several such as (1, 5), got 0"),
        ({"type": "Accuracy", "top_k": [1, 2.5]}, "top_k", "got list [1, 2.5]"),
        ({"type": "Accuracy", "top_k": ()}, "top_k", "got ()"),
        ({"type": "IoU", "num_classes": 0}, "num_classes", "1 or more, got 0"),
        ({"type": "PrecisionRecallF1", "average": "mean"}, "average", "'macro', 'micro'"),
        ({"type": "DumpResults", "out_file_path": "x.json"}, "out_file_path", "got 'x.json'"),
        (
            {"type": "MeanLoss", "collect_device": "cuda", "collect_dir": "there"},
            "collect_dir",
            "leave one of the two out",
        ),
    ],
    ids=lambda value: value["type"] if isinstance(value, dict) else None,
)
def test_a_value_of_a_metric_that_cannot_work_is_found(
    settings: dict[str, Any], path: str, text: str
) -> None:
    (problem,) = METRICS.check(settings)

    assert problem.path == path
    assert text in problem.message
    with pytest.raises(SettingsError):
        METRICS.build(settings)


def test_a_value_of_an_evaluator_that_cannot_work_is_found() -> None:
    (problem,) = EVALUATOR.check({"type": "Evaluator", "metrics": [], "spill_after": 0})

    assert problem.path == "spill_after"
    with pytest.raises(SettingsError, match="Evaluator: spill_after must be a whole number"):
        Evaluator([], spill_after=0)
