"""The evaluator of a loop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tk_evaluator import BaseMetric, Evaluator
from tk_registry import EVALUATOR


def build_evaluator(evaluator: Any) -> Evaluator | None:
    """An evaluator out of a metric, an evaluator, a config or a list of either.

    An empty list is no evaluator: the loop then reports losses alone.

    Raises:
        TypeError: none of these.
    """
    if isinstance(evaluator, Evaluator):
        return evaluator
    if isinstance(evaluator, Mapping) and "metrics" in evaluator:
        built: Evaluator = EVALUATOR.build(evaluator, default_args={"type": "Evaluator"})
        return built
    if isinstance(evaluator, (Mapping, BaseMetric)):
        return Evaluator(evaluator)
    if isinstance(evaluator, Sequence) and not isinstance(evaluator, str):
        return Evaluator(evaluator) if evaluator else None
    raise TypeError(
        "an evaluator is an Evaluator, a metric, the config of one, or a list of them, got "
        f"{type(evaluator).__name__}"
    )
