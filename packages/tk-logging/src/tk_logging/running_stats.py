"""Sum, count, lowest and highest of a stretch of values, without keeping the values.

Values come in order and in any portions; how they are cut into portions never
changes a result, not even in the last bit, so that a resumed run agrees with one
that was not stopped. NaN spreads into every statistic, as in NumPy.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import reduce
from operator import add
from typing import Any

from .errors import EmptyHistoryError, StateError


class RunningStats:
    """Statistics of all values that were added."""

    __slots__ = ("count", "highest", "length", "lowest", "sum")

    def __init__(self) -> None:
        self.sum = 0.0
        self.count = 0
        self.lowest = math.inf
        self.highest = -math.inf
        self.length = 0

    def add(self, values: Sequence[float], count: int) -> None:
        """Add values that sum up ``count`` samples."""
        if not values:
            return
        # Not sum(): from Python 3.12 on its rounding depends on the portions.
        self.sum = reduce(add, values, self.sum)
        self.length += len(values)
        self.count += count
        if math.isnan(self.sum) and any(map(math.isnan, values)):
            self.lowest = self.highest = math.nan
        elif not math.isnan(self.lowest):
            self.lowest = float(min(self.lowest, *values))
            self.highest = float(max(self.highest, *values))

    def mean(self) -> float:
        """Sum of values over the number of samples; NaN where nothing was counted."""
        return self.sum / self.count if self.count else math.nan

    def min(self) -> float:
        """The lowest value.

        Raises:
            EmptyHistoryError: there is no value.
        """
        self._require_values("min")
        return self.lowest

    def max(self) -> float:
        """The highest value.

        Raises:
            EmptyHistoryError: there is no value.
        """
        self._require_values("max")
        return self.highest

    def _require_values(self, statistic: str) -> None:
        if not self.length:
            raise EmptyHistoryError(
                f"{statistic} of a history without values; update it first, or ask for its length"
            )

    def to_list(self) -> list[float]:
        """The five numbers as builtins, for a saved state."""
        return [self.sum, self.count, self.lowest, self.highest, self.length]

    @classmethod
    def from_list(cls, saved: Any) -> RunningStats:
        """The statistics that ``to_list`` described.

        Raises:
            StateError: ``saved`` is something else.
        """
        stats = cls()
        try:
            total, count, lowest, highest, length = saved
            stats.sum, stats.lowest, stats.highest = float(total), float(lowest), float(highest)
            stats.count, stats.length = int(count), int(length)
        except (TypeError, ValueError, OverflowError):
            raise StateError(f"running statistics are five numbers, got {saved!r:.80}") from None
        return stats
