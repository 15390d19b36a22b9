"""The values of one scalar on the host: the newest ones, and running statistics of all.

To record a value is to append it to a list. Sums, minima and maxima are brought up to
date when somebody asks, or when the list is long enough to drop its oldest values, so
an update costs the same at a million values as at ten. A single append needs no lock.
"""

from __future__ import annotations

import operator
import threading
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

from .errors import InvalidArgumentError, InvalidValueError, StateError, WindowError
from .packed import unpack
from .running_stats import RunningStats

_SPARE = 512  # values beyond those that are kept, before the oldest are dropped
_STATE_KEYS = {"values", "counts", "max_length", "total", "windows"}


class Counted(float):
    """A value that stands for another number of samples than one."""

    __slots__ = ("count",)
    count: int


def counted(value: float, count: Any) -> float:
    """``value`` as the sum of ``count`` samples.

    Raises:
        InvalidArgumentError: ``count`` is not an integer.
        InvalidValueError: ``count`` is negative.
    """
    count = checked_count(count)
    if count == 1:
        return value
    sample_sum = Counted(value)
    sample_sum.count = count
    return sample_sum


def checked_count(count: Any) -> int:
    """``count`` as an int, 0 or more.

    Raises:
        InvalidArgumentError: it is not an integer.
        InvalidValueError: it is negative.
    """
    try:
        number = operator.index(count)
    except TypeError:
        raise InvalidArgumentError(
            f"count is a whole number of samples, got {type(count).__name__}: {count!r:.80}"
        ) from None
    if number < 0:
        raise InvalidValueError(f"count is a number of samples, 0 or more, got {number}")
    return number


class Series:
    """The last ``max_length`` values, and statistics of all and of windows.

    Attributes:
        max_length: how many values are kept.
        windows: statistics since a window was opened, by its name.
        values: the newest last; the first ones may be older than what is kept.
        limit: how many there may be before ``drop_old`` is to be called.
    """

    def __init__(self, max_length: int) -> None:
        if max_length < 1:
            raise InvalidValueError(f"max_length is a whole number from 1 on, got {max_length!r}")
        self.max_length = max_length
        self.windows: dict[str, RunningStats] = {}
        self.values: list[float] = []
        self._num_dropped = 0
        self._num_added = 0  # how many of _values the statistics include
        self._has_counts = False
        self._total = RunningStats()
        self.limit = max_length + _SPARE
        self._lock = threading.Lock()

    def append(self, value: float) -> None:
        """Add the newest value, a ``float`` or one that ``counted`` gave."""
        values = self.values
        if type(value) is not float:
            self._has_counts = True  # before the value: who sees it must ask for its count
        values.append(value)
        if len(values) >= self.limit:
            self.drop_old()

    def extend(self, values: Sequence[float], *, has_counts: bool = False) -> None:
        """Add values, the newest last; ``has_counts`` where some are from ``counted``."""
        if has_counts:
            self._has_counts = True
        self.values += values
        if len(self.values) >= self.limit:
            self.drop_old()

    def __len__(self) -> int:
        with self._lock:
            return self._num_dropped + len(self.values)

    @property
    def newest(self) -> float | None:
        """The last value; None where there is none."""
        return float(self.values[-1]) if self.values else None

    def kept(self) -> list[float]:
        """The kept values, the newest last."""
        return self.values[-self.max_length :]

    def mean(self, window: int | str | None) -> float:
        """Sum of values over the number of samples; see ``stats`` for the window."""
        if type(window) is int and not self._has_counts:  # a mean of a log line
            values = self.values[-window:]
            if len(values) == window <= self.max_length:
                return sum(values) / window
        return self.stats(window).mean()

    def stats(self, window: int | str | None) -> RunningStats:
        """Statistics of the last ``window`` values, of an opened window, or of everything.

        Raises:
            WindowError: so many values are not kept, or the window was not opened.
        """
        with self._lock:
            self._add_new()
            if isinstance(window, str):
                return self._of_opened(window)
            if window is None or window >= self._total.length:
                return self._total
            if window > self.max_length:
                return self._of_length(window)
            values = self.values[-window:]
            stretch = RunningStats()
            stretch.add(values, self._samples(values))
            return stretch

    def _of_opened(self, name: str) -> RunningStats:
        if name in self.windows:
            return self.windows[name]
        raise WindowError(
            f"no window {name!r} was opened; open: {', '.join(sorted(self.windows)) or 'none'}. "
            f"Call open_window({name!r}) where it begins"
        )

    def _of_length(self, length: int) -> RunningStats:
        for stats in self.windows.values():
            if stats.length == length:
                return stats
        raise WindowError(
            f"the last {length} values are asked for, {len(self.kept())} of "
            f"{self._total.length} are kept; keep more (max_length of the history, "
            "history_length of the hub), or call open_window(name) where the stretch begins "
            "and give that name as window_size"
        )

    def open_window(self, name: str, stats: RunningStats) -> None:
        """Count what comes from here on into ``stats``."""
        with self._lock:
            self._add_new()
            self.windows[name] = stats

    def close_window(self, name: str) -> None:
        """Stop counting, if the window was opened."""
        self.windows.pop(name, None)

    def resize(self, max_length: int) -> None:
        """Keep so many values from now on; what was dropped before stays dropped."""
        with self._lock:
            self.max_length, self.limit = max_length, max_length + _SPARE
        self.drop_old()

    # -- the running statistics -------------------------------------------------

    def drop_old(self) -> None:
        """Let go of values that are neither kept nor missing in the statistics."""
        with self._lock:
            self._add_new()
            surplus = max(self._num_added - self.max_length, 0)
            del self.values[:surplus]
            self._num_dropped += surplus
            self._num_added -= surplus

    def _add_new(self) -> None:
        """Bring the statistics up to date; the lock is held."""
        new = self.values[self._num_added :]
        if not new:
            return
        self._num_added += len(new)
        count = self._samples(new)
        self._total.add(new, count)
        for stats in self.windows.values():
            stats.add(new, count)

    def _samples(self, values: Sequence[float]) -> int:
        return sum(counts_of(values)) if self._has_counts else len(values)

    # -- saved state --------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """Everything, as builtins that safe loaders read."""
        with self._lock:
            self._add_new()
            values = self.values[: self._num_added][-self.max_length :]
            return {
                "values": [float(value) for value in values],
                "counts": [[count, len([*same])] for count, same in groupby(counts_of(values))],
                "max_length": self.max_length,
                "total": self._total.to_list(),
                "windows": {name: stats.to_list() for name, stats in self.windows.items()},
            }

    @classmethod
    def from_state_dict(cls, state: object) -> Series:
        """The series that ``state_dict`` described.

        Raises:
            StateError: it is not such a state; the text says what is wrong with it.
        """
        if not isinstance(state, Mapping) or not set(state) >= _STATE_KEYS:
            raise StateError(
                f"the state of a history is a dict with {', '.join(sorted(_STATE_KEYS))}, "
                f"got {state!r:.80}"
            )
        saved = state["values"]
        values = unpack(saved) if isinstance(saved, str) else saved
        try:
            series = cls(operator.index(state["max_length"]))
            pairs = zip(map(float, values), _from_runs(state["counts"], len(values)), strict=True)
            for value, count in pairs:
                series.append(counted(value, count))
            windows = dict(state["windows"])
        except (TypeError, ValueError, OverflowError) as error:
            raise StateError(f"not the state of a history: {error}") from error
        series._total = RunningStats.from_list(state["total"])
        series._num_added = len(series.values)
        series._num_dropped = series._total.length - len(series.values)
        series.windows = {
            str(name): RunningStats.from_list(stats) for name, stats in windows.items()
        }
        return series


def counts_of(values: Iterable[float]) -> list[int]:
    """How many samples each value stands for."""
    return [value.count if isinstance(value, Counted) else 1 for value in values]


def _from_runs(pairs: Iterable[Sequence[int]], length: int) -> list[int]:
    """``[[1, 3], [4, 1]]`` as ``[1, 1, 1, 4]``: each count as often as the pair says."""
    runs = [(int(count), int(times)) for count, times in pairs]
    if sum(times for _, times in runs) != length or any(times < 0 for _, times in runs):
        raise StateError(f"counts {runs!r:.80} are not for {length} values")
    return [count for count, times in runs for _ in range(times)]
