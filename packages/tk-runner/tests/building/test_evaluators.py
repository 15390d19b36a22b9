from __future__ import annotations

import pytest
from toy_run import Share

from tk_evaluator import Evaluator
from tk_runner.building.evaluators import build_evaluator


@pytest.mark.parametrize(
    "given",
    [
        Share(),
        {"type": Share},
        [Share()],
        [{"type": Share}],
        {"metrics": [{"type": Share}]},
        {"type": "Evaluator", "metrics": {"type": Share}},
        Evaluator(Share()),
    ],
    ids=["metric", "config", "metrics", "configs", "metrics-key", "typed", "evaluator"],
)
def test_an_evaluator_is_made_of_whatever_is_given(given: object) -> None:
    built = build_evaluator(given)

    assert isinstance(built, Evaluator)
    assert [type(metric) for metric in built.metrics] == [Share]


def test_an_empty_list_is_no_evaluator() -> None:
    assert build_evaluator([]) is None


def test_something_else_is_refused() -> None:
    with pytest.raises(TypeError, match="got str"):
        build_evaluator("accuracy")
