"""Which of two values of a metric is the better one."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..errors import InvalidSettingsError
from ..interfaces.loops import EvaluationLoopLike

GREATER = (
    "acc",
    "accuracy",
    "top",
    "AR@",
    "auc",
    "precision",
    "recall",
    "f1",
    "mAP",
    "mDice",
    "mIoU",
    "iou",
    "mAcc",
    "aAcc",
    "dice",
)
LESS = ("loss", "error", "err", "mae", "mse", "rmse", "perplexity", "ppl", "fid")


@dataclass(frozen=True)
class Rule:
    """``greater`` or ``less`` is better."""

    kind: str

    def __post_init__(self) -> None:
        if self.kind not in ("greater", "less"):
            raise InvalidSettingsError(f"rule={self.kind!r}: use 'greater' or 'less'")

    def is_better(self, new: float, old: float | None, by: float = 0.0) -> bool:
        """Whether ``new`` beats ``old`` by more than ``by``; any number beats None."""
        if math.isnan(new) or old is None:
            return not math.isnan(new)
        return new > old + by if self.kind == "greater" else new < old - by


def rule_for(
    metric: str,
    val_loop: EvaluationLoopLike | None = None,
    *,
    greater_keys: Sequence[str] = (),
    less_keys: Sequence[str] = (),
) -> Rule:
    """The rule of a metric: what the user says, else its class, else its name.

    The user's keys are a whole name or a part of it. In a name, words that mean
    an error come before those that mean a success: ``top1_error`` is an error.

    Args:
        metric: name of the metric.
        val_loop: whose ``rule_of`` is asked what the evaluator declares.
        greater_keys: the user's names of what is better when greater.
        less_keys: the user's names of what is better when less.

    Raises:
        InvalidSettingsError: the name says nothing.
    """
    name = metric.rpartition("/")[2].lower()
    for keys, kind in ((greater_keys, "greater"), (less_keys, "less")):
        if any(key.lower() in (metric.lower(), name) or key.lower() in name for key in keys):
            return Rule(kind)
    declared = val_loop.rule_of(metric) if val_loop is not None else None
    if declared is not None:
        return Rule(declared)
    words = [word for word in re.split(r"[^a-z@]+", name) if word]
    if any(word in LESS for word in words):
        return Rule("less")
    if any(key.lower() in name for key in GREATER):
        return Rule("greater")
    if any(key in name for key in LESS):
        return Rule("less")
    raise InvalidSettingsError(
        f"neither the metric's class nor its name says whether {metric!r} is better when greater "
        "or less; give rule='greater' or rule='less', or set greater_is_better in the class"
    )


def known_rule(metric: str, loop: EvaluationLoopLike | None = None) -> Rule | None:
    """The rule of a metric; None where neither its class nor its name says one."""
    try:
        return rule_for(metric, loop)
    except InvalidSettingsError:
        return None
