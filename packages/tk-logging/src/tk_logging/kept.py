"""What a history keeps: the last values, and running statistics of all and of windows.

Everything here is on the host and in order; who brings it in order is ``history.py``.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice, repeat
from typing import Any

from .compact import from_runs, pack, runs, unpack
from .errors import StateError, WindowError
from .windows import RunningStats, Stretch

_STATE_KEYS = {"values", "counts", "max_length", "total", "windows"}


class Window:
    """Statistics of what is updated from ``generation`` on."""

    __slots__ = ("generation", "name", "stats")

    def __init__(self, name: str, generation: int) -> None:
        self.name = name
        self.generation = generation
        self.stats = RunningStats()


class Kept:
    """The last ``max_length`` values with their counts, and statistics of more."""

    def __init__(self, max_length: int) -> None:
        self.values: deque[float] = deque(maxlen=max_length)
        self.counts: deque[int] = deque(maxlen=max_length)
        self.total = RunningStats()
        self.windows: dict[str, Window] = {}

    @property
    def max_length(self) -> int:
        """How many values are kept."""
        return self.values.maxlen or 0

    def take(self, values: Sequence[float], counts: Sequence[int] | None = None) -> None:
        """Add values, the latest last; ``counts=None`` is a count of one for each."""
        if not values:
            return
        self.values.extend(values)
        self.counts.extend(repeat(1, len(values)) if counts is None else counts)
        self.total.add(values, counts)
        for window in self.windows.values():
            window.stats.add(values, counts)

    def absorb(self, stats: RunningStats, generation: int, waiting: Iterable[Window]) -> None:
        """Add what is older than the kept values and comes as statistics.

        ``waiting`` are windows that were opened behind values still to come.
        """
        self.total.merge(stats)
        for window in {*self.windows.values(), *waiting}:
            if window.generation <= generation:
                window.stats.merge(stats)

    def last(self, number: int | None) -> RunningStats | Stretch:
        """Statistics of the last ``number`` values, None for all.

        Raises:
            WindowError: so many are not kept, and no window has exactly that length.
        """
        if number is None or number >= self.total.length:
            return self.total
        if number <= len(self.values):
            newest_first = islice(reversed(self.values), number)
            counts = islice(reversed(self.counts), number)
            return Stretch([*newest_first][::-1], [*counts][::-1])
        for window in self.windows.values():
            if window.stats.length == number:
                return window.stats
        raise WindowError(
            f"the last {number} values are asked for, {len(self.values)} of "
            f"{self.total.length} are kept; keep more (max_length of the history, "
            "history_length of the hub), or call open_window(name) where the stretch begins "
            "and give that name as window_size"
        )

    def since_opening(self, name: str) -> RunningStats:
        """Statistics of a window.

        Raises:
            WindowError: it was not opened.
        """
        if name in self.windows:
            return self.windows[name].stats
        raise WindowError(
            f"no window {name!r} was opened; open: {', '.join(sorted(self.windows)) or 'none'}. "
            f"Call open_window({name!r}) where it begins"
        )

    def resize(self, max_length: int) -> None:
        """Keep so many values from now on."""
        self.values = deque(self.values, maxlen=max_length)
        self.counts = deque(self.counts, maxlen=max_length)

    def state_dict(self) -> dict[str, Any]:
        """Everything, as builtins that safe loaders read."""
        return {
            "values": pack(self.values),
            "counts": runs(self.counts),
            "max_length": self.max_length,
            "total": self.total.to_list(),
            "windows": {name: window.stats.to_list() for name, window in self.windows.items()},
        }

    @classmethod
    def from_state_dict(cls, state: object) -> Kept:
        """What ``state_dict`` described.

        Raises:
            StateError: it is no such state; the text says what is wrong with it.
        """
        if not isinstance(state, Mapping) or not set(state) >= _STATE_KEYS:
            raise StateError(
                f"the state of a history is a dict with {', '.join(sorted(_STATE_KEYS))}, "
                f"got {state!r:.80}"
            )
        values = unpack(state["values"])
        kept = cls(int(state["max_length"]))
        kept.values.extend(values)
        kept.counts.extend(from_runs(state["counts"], len(values)))
        kept.total = RunningStats.from_list(state["total"])
        for name, saved in state["windows"].items():
            kept.windows[name] = Window(name, generation=0)
            kept.windows[name].stats = RunningStats.from_list(saved)
        return kept
