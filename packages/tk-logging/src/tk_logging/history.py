"""The history of one scalar: the last values, and running statistics of all.

Updating only appends to a short list. Everything else happens when the list is
full or somebody reads, so an update costs the same at a million values as at ten.
Values that still live on a device wait in the same list, as arrivals; ``pending.py``
brings them. Plain numbers are appended without a lock: appending to a list and
deleting its front are each one step, and nothing else touches the list unlocked.
"""

from __future__ import annotations

import operator
import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from . import statistic_table
from .errors import EmptyHistoryError, InvalidArgumentError, InvalidValueError
from .kept import Kept, Window
from .scalars import to_number
from .windows import RunningStats, Stretch

if TYPE_CHECKING:
    import numpy as np

    Arrays = tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]

_Statistic = TypeVar("_Statistic", bound=Callable[..., Any])

_TAKE_IN_AT = 256  # pending numbers; larger saves nothing more
_READ_AT = 4096  # pending numbers behind a value that nobody reads


class Arrival(Protocol):
    """Values of one history that come in order, but later."""

    @property
    def is_sent(self) -> bool:
        """Whether the copy to the host has begun."""

    @property
    def is_folded(self) -> bool:
        """Whether they were summed up on the device and come as statistics."""

    def values(self) -> Sequence[float] | None:
        """The values, or None while they are on the device."""

    def counts(self) -> Sequence[int]:
        """The count of each value."""


class Source(Protocol):
    """Who brings arrivals over."""

    def settle(self, history: HistoryBuffer) -> None:
        """Bring over what a reader of ``history`` should see."""

    def collect(self) -> None:
        """Bring over everything."""

    def next_generation(self) -> int:
        """A number for what is updated from now on, to tell it from what was before."""


class _Counted:
    __slots__ = ("count", "value")

    def __init__(self, value: float, count: int) -> None:
        self.value = value
        self.count = count


class HistoryBuffer:
    """Values of one scalar with the number of samples that each one stands for.

    Keeps the last ``max_length`` values and, over all values ever given, sum, count,
    minimum and maximum. Statistics over a window are exact or an error: the last n
    values while they are kept, everything, or a stretch opened by ``open_window``.

    Args:
        log_history: values to begin with.
        count_history: the count of each of them.
        max_length: how many values are kept; memory is about 40 bytes for each.
    """

    def __init__(
        self,
        log_history: Sequence[float] = (),
        count_history: Sequence[int] = (),
        max_length: int = 1000,
    ) -> None:
        if len(log_history) != len(count_history):
            raise InvalidValueError(
                f"{len(log_history)} values and {len(count_history)} counts; "
                "log_history and count_history need the same length"
            )
        if max_length < 1:
            raise InvalidValueError(f"max_length is a whole number from 1 on, got {max_length!r}")
        self._kept = Kept(max_length)
        self._latest: dict[str, Window] = {}  # opened windows; some may wait in _pending
        self._pending: list[Any] = []  # float, _Counted, Window or Arrival, in order
        self._is_mixed = False  # whether _pending may hold anything but floats
        self._num_arrivals = 0
        self._feeder: Any = None  # the block that takes further device values, while it is last
        self._source: Source | None = None
        self._lock: AbstractContextManager[Any] = threading.RLock()
        values = [to_number(value) for value in log_history]
        self._kept.take(values, [checked_count(count) for count in count_history])

    @property
    def max_length(self) -> int:
        """How many values are kept."""
        return self._kept.max_length

    def update(self, log_val: float, count: int = 1) -> None:
        """Add a value, the sum or mean of ``count`` samples.

        Raises:
            ScalarTypeError: the value is no number; tensors are the hub's business.
        """
        if type(log_val) is not float:
            log_val = to_number(log_val)
        pending = self._pending
        if count == 1 and self._feeder is None:
            pending.append(log_val)
        else:
            self._append_in_order(_Counted(log_val, checked_count(count)))
        if not len(pending) % _TAKE_IN_AT:
            self._relieve()

    def mean(self, window_size: int | str | None = None) -> float:
        """Sum of values over sum of counts; NaN where there is nothing.

        Args:
            window_size: the last so many values, the name of an opened window, or
                None for everything.
        """
        return self._stats(window_size).mean()

    def max(self, window_size: int | str | None = None) -> float:
        """The highest value of a window, see ``mean``."""
        return self._stats(window_size).max()

    def min(self, window_size: int | str | None = None) -> float:
        """The lowest value of a window, see ``mean``."""
        return self._stats(window_size).min()

    def current(self) -> float:
        """The last value.

        Raises:
            EmptyHistoryError: there is none.
        """
        with self._settled():
            if not self._kept.values:
                raise EmptyHistoryError("no value was recorded yet; update the history first")
            return self._kept.values[-1]

    @property
    def data(self) -> Arrays:
        """The kept values and their counts, as two new NumPy arrays."""
        import numpy as np  # 54 ms, and only needed for statistics of users

        with self._settled():
            kept = self._kept
            return np.array(kept.values, dtype=float), np.array(kept.counts, dtype=int)

    def __len__(self) -> int:
        """How many values were given, kept or not."""
        with self._settled():
            return self._kept.total.length

    def __bool__(self) -> bool:
        return True  # a history without values is a history

    def statistics(self, method_name: str, *arg: Any, **kwargs: Any) -> Any:
        """The registered statistic ``method_name`` of this history.

        Raises:
            UnknownStatisticError: nothing is registered under that name.
        """
        return statistic_table.find(method_name)(self, *arg, **kwargs)

    @classmethod
    def register_statistics(cls, method: _Statistic) -> _Statistic:
        """Make a function ``(history, ...) -> value`` known by its name, for all histories.

        Raises:
            DuplicateStatisticError: the name belongs to another function.
        """
        return statistic_table.register(method)

    # -- windows --------------------------------------------------------------

    def open_window(self, name: str) -> None:
        """Count from here on under ``name``, also past the kept values; reopening starts anew."""
        with self._lock:
            generation = self._source.next_generation() if self._source else 0
            window = self._latest[name] = Window(name, generation)
            self._append_in_order(window)

    def close_window(self, name: str) -> None:
        """Stop counting under ``name``, if it was opened."""
        with self._settled():
            self._latest.pop(name, None)
            self._kept.windows.pop(name, None)

    def _stats(self, window_size: int | str | None) -> RunningStats | Stretch:
        if window_size is not None and (type(window_size) is not int or window_size < 1):
            _check_window(window_size)
        with self._settled():
            if not isinstance(window_size, str):
                return self._kept.last(window_size)
            is_waiting = self._latest.get(window_size) is not self._kept.windows.get(window_size)
            if self._source is not None and is_waiting:
                self._source.collect()  # it was opened behind values that are on their way
                self.take_in()
            return self._kept.since_opening(window_size)

    # -- taking in, in order --------------------------------------------------

    def _settled(self) -> AbstractContextManager[Any]:
        """Bring over what a reader should see; the lock, to read under."""
        if self._num_arrivals and self._source is not None:
            self._source.settle(self)
        if self._pending:
            self.take_in()
        return self._lock

    def take_in(self) -> None:
        """Move pending values, up to the first that is still on a device, into the history."""
        with self._lock:
            pending = self._pending
            if not self._is_mixed:
                batch = pending[:]
                self._kept.take(batch)
            else:
                batch = pending[: self._take_mixed(pending[:])]
            del pending[: len(batch)]
            if self._is_mixed:
                self._is_mixed = any(type(item) is not float for item in pending)

    def _take_mixed(self, pending: Sequence[Any]) -> int:
        values: list[float] = []
        counts: list[int] = []
        num_taken = 0
        for item in pending:
            if type(item) is float:
                values.append(item)
                counts.append(1)
            elif type(item) is _Counted:
                values.append(item.value)
                counts.append(item.count)
            elif type(item) is Window:
                self._kept.take(values, counts)
                values, counts = [], []
                if self._latest.get(item.name) is item:
                    self._kept.windows[item.name] = item
            else:
                if not item.is_folded:
                    arrived = item.values()
                    if arrived is None:
                        break
                    values += arrived
                    counts += item.counts()
                self._num_arrivals -= 1
            num_taken += 1
        self._kept.take(values, counts)
        return num_taken

    def _append_in_order(self, item: Any) -> None:
        with self._lock:
            if self._feeder is not None:
                self._feeder.close()
            self._is_mixed = True
            self._pending.append(item)

    def _relieve(self) -> None:
        self.take_in()
        if len(self._pending) >= _READ_AT and self._source is not None:
            self._source.collect()

    # -- for who brings device values -----------------------------------------

    def attach(self, source: Source, lock: AbstractContextManager[Any]) -> None:
        """Let ``source`` bring values, under its lock."""
        if self._source is source:
            return
        if self._source is not None:
            self._source.collect()  # the former one brings what it promised
        with self._lock:
            self._source, self._lock = source, lock

    def expect(self, arrival: Arrival, feeder: Any) -> None:
        """Values come later, after all that was given so far."""
        self._append_in_order(arrival)
        self._num_arrivals += 1
        self._feeder = feeder

    @property
    def feeder(self) -> Any:
        """Who takes further values of a device; None where a plain number came since."""
        return self._feeder

    def unfeed(self, feeder: Any) -> None:
        """The feeder takes no more values."""
        if self._feeder is feeder:
            self._feeder = None

    def absorb(self, stats: RunningStats, generation: int) -> None:
        """Values older than the kept ones arrive as statistics."""
        self._kept.absorb(stats, generation, self._latest.values())

    def openings(self) -> list[int]:
        """The generations at which the present windows were opened."""
        return [window.generation for window in self._latest.values()]

    def window_names(self) -> set[str]:
        """The names of the windows that are open."""
        return set(self._latest)

    def waits_for_unsent(self) -> bool:
        """Whether values wait that nobody has asked the device for."""
        if self._feeder is not None:
            return True  # a block that still takes values has not been sent
        return any(_is_arrival(item) and not item.is_sent for item in self._pending[:])

    def has_values(self) -> bool:
        """Whether there is anything on the host to read."""
        self.take_in()
        return self._kept.total.length > 0

    # -- saved state ----------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """Everything of the history, as builtins that safe loaders read."""
        with self._settled():
            return self._kept.state_dict()

    @classmethod
    def from_state_dict(cls, state: object) -> HistoryBuffer:
        """The history whose ``state_dict`` this is.

        Raises:
            StateError: it is none; the text says what is wrong with it.
        """
        history = cls()
        history._kept = Kept.from_state_dict(state)
        history._latest = dict(history._kept.windows)
        return history

    def resize(self, max_length: int) -> None:
        """Keep so many values from now on; what was dropped before stays dropped."""
        with self._settled():
            self._kept.resize(max_length)

    def __getstate__(self) -> dict[str, Any]:
        return self.state_dict()

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(HistoryBuffer.from_state_dict(state).__dict__)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(max_length={self.max_length})"  # must not read a device


def _is_arrival(item: Any) -> bool:
    return type(item) is not float and not isinstance(item, (_Counted, Window))


def _check_window(window_size: object) -> None:
    if isinstance(window_size, bool) or not isinstance(window_size, (int, str)):
        raise InvalidArgumentError(
            "window_size is a number of values, the name of an opened window or None, "
            f"got {window_size!r}"
        )
    if isinstance(window_size, int) and window_size < 1:
        raise InvalidValueError(f"a window holds at least one value, got {window_size}")


def checked_count(count: Any) -> int:
    """``count`` as an int, 0 or more."""
    try:
        number = operator.index(count)
    except TypeError:
        raise InvalidArgumentError(
            f"count is a whole number of samples, got {type(count).__name__}: {count!r:.80}"
        ) from None
    if number < 0:
        raise InvalidValueError(f"count is a number of samples, 0 or more, got {number}")
    return number


for _method in (HistoryBuffer.mean, HistoryBuffer.max, HistoryBuffer.min, HistoryBuffer.current):
    statistic_table.register(_method)
