"""Sum, count, lowest and highest of a stretch of values.

Values come in order and in any portions; how they are cut into portions never
changes a result, not even in the last bit, so that a resumed run agrees with one
that was not stopped. NaN spreads into every statistic, as in NumPy.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import reduce
from operator import add

from .errors import EmptyHistoryError, StateError


class RunningStats:
    """What is known of a stretch of values without keeping them."""

    __slots__ = ("count", "highest", "length", "lowest", "sum")

    def __init__(self) -> None:
        self.sum = 0.0
        self.count = 0
        self.lowest = math.inf
        self.highest = -math.inf
        self.length = 0

    def add(self, values: Sequence[float], counts: Sequence[int] | None = None) -> None:
        """Take in more values; ``counts=None`` is a count of one for each."""
        if not values:
            return
        # Not sum(): from Python 3.12 on its rounding depends on the portions.
        self.sum = reduce(add, values, self.sum)
        self.length += len(values)
        self.count += len(values) if counts is None else sum(counts)
        if math.isnan(self.sum) and any(map(math.isnan, values)):
            self.lowest = self.highest = math.nan
        elif not math.isnan(self.lowest):
            self.lowest = min(self.lowest, *values)
            self.highest = max(self.highest, *values)

    def merge(self, other: RunningStats) -> None:
        """Take in a stretch that was summed elsewhere."""
        self.sum += other.sum
        self.length += other.length
        self.count += other.count
        if math.isnan(self.lowest) or math.isnan(other.lowest):
            self.lowest = self.highest = math.nan
        else:
            self.lowest = min(self.lowest, other.lowest)
            self.highest = max(self.highest, other.highest)

    def mean(self) -> float:
        """Sum of values over sum of counts; NaN where nothing was counted."""
        return self.sum / self.count if self.count else math.nan

    def min(self) -> float:
        """The lowest value.

        Raises:
            EmptyHistoryError: there is no value.
        """
        self._must_hold_something("min")
        return self.lowest

    def max(self) -> float:
        """The highest value.

        Raises:
            EmptyHistoryError: there is no value.
        """
        self._must_hold_something("max")
        return self.highest

    def _must_hold_something(self, statistic: str) -> None:
        if not self.length:
            raise EmptyHistoryError(
                f"{statistic} of a history without values; update it first, or ask for its length"
            )

    def to_list(self) -> list[float]:
        """The five numbers as builtins, for a saved state."""
        return [self.sum, self.count, self.lowest, self.highest, self.length]

    @classmethod
    def from_list(cls, saved: Sequence[float]) -> RunningStats:
        """The stretch that ``to_list`` described."""
        if not isinstance(saved, (list, tuple)) or len(saved) != 5:
            raise StateError(f"running statistics are five numbers, got {saved!r}")
        stats = cls()
        stats.sum, stats.lowest, stats.highest = float(saved[0]), float(saved[2]), float(saved[3])
        stats.count, stats.length = int(saved[1]), int(saved[4])
        return stats


class Stretch:
    """Exactly these values; each statistic is worked out when asked for, the usual one fast."""

    __slots__ = ("_counts", "_values")

    def __init__(self, values: Sequence[float], counts: Sequence[int]) -> None:
        self._values = values
        self._counts = counts

    def mean(self) -> float:
        """Sum of values over sum of counts; NaN where nothing was counted."""
        count = sum(self._counts)
        return reduce(add, self._values, 0.0) / count if count else math.nan

    def min(self) -> float:
        """The lowest value."""
        return stats_of(self._values, self._counts).min()

    def max(self) -> float:
        """The highest value."""
        return stats_of(self._values, self._counts).max()


def stats_of(values: Sequence[float], counts: Sequence[int]) -> RunningStats:
    """The statistics of exactly these values."""
    stats = RunningStats()
    stats.add(values, counts)
    return stats
