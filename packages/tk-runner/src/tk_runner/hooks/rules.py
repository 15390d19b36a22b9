"""Which of two values of a metric is the better one."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..errors import InvalidSettingsError

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

    @property
    def worst(self) -> float:
        """What every value is better than."""
        return -math.inf if self.kind == "greater" else math.inf

    def is_better(self, new: float, old: float, by: float = 0.0) -> bool:
        """Whether ``new`` beats ``old`` by more than ``by``; no number beats nothing."""
        if math.isnan(new):
            return False
        return new > old + by if self.kind == "greater" else new < old - by


def infer_rule(
    metric: str, greater_keys: Sequence[str] = (), less_keys: Sequence[str] = ()
) -> Rule:
    """The rule that a metric's name speaks of.

    The user's keys come first, as a whole name or a part of it; then words that
    mean an error, then words that mean a success: ``top1_error`` is an error.

    Raises:
        InvalidSettingsError: the name says nothing.
    """
    name = metric.rpartition("/")[2].lower()
    for keys, kind in ((greater_keys, "greater"), (less_keys, "less")):
        if any(key.lower() in (metric.lower(), name) or key.lower() in name for key in keys):
            return Rule(kind)
    words = [word for word in re.split(r"[^a-z@]+", name) if word]
    if any(word in LESS for word in words):
        return Rule("less")
    if any(key.lower() in name for key in GREATER):
        return Rule("greater")
    if any(key in name for key in LESS):
        return Rule("less")
    raise InvalidSettingsError(
        f"whether {metric!r} is better when greater or less cannot be told from its name; "
        "give rule='greater' or rule='less'"
    )
