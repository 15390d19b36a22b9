"""`HistoryBuffer`: the history of one scalar, as users read and update it.

The values are in a ``Series``; those that are still on a device are with the source,
which brings them when somebody reads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from . import statistic_table
from .errors import EmptyHistoryError, InvalidArgumentError, InvalidValueError
from .running_stats import RunningStats
from .scalars import to_number
from .series import Series, counted, counts_of

if TYPE_CHECKING:
    import numpy as np

    Arrays = tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]

_Statistic = TypeVar("_Statistic", bound=Callable[..., Any])


class Source(Protocol):
    """Who holds values of a history that are still on a device."""

    def settle(self, history: HistoryBuffer) -> None:
        """Bring over what a reader of ``history`` should see."""

    def collect(self) -> None:
        """Bring over everything."""

    def defer(self, history: HistoryBuffer, act: Callable[[], object]) -> None:
        """Call ``act`` when all values that ``history`` was given so far have arrived."""

    def is_unsent(self, history: HistoryBuffer) -> bool:
        """Whether ``history`` has values for which no copy has begun."""


class HistoryBuffer:
    """Values of one scalar with the number of samples that each one stands for.

    Keeps the last ``max_length`` values and, over all values ever given, sum, count,
    minimum and maximum. Statistics over a window are exact or an error: the last n
    values while they are kept, everything, or a stretch opened by ``open_window``.

    Args:
        log_history: values to begin with.
        count_history: the count of each of them.
        max_length: how many values are kept; memory is about 40 bytes for each.

    Attributes:
        series: the values that are on the host.
        source: who holds further ones that are still on a device; None where there are none.
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
        self.series = Series(max_length)
        self.source: Source | None = None
        self._windows: dict[str, RunningStats] = {}  # opened, though some may still wait
        for value, count in zip(log_history, count_history, strict=True):
            self.update(value, count)

    @property
    def max_length(self) -> int:
        """How many values are kept."""
        return self.series.max_length

    def update(self, log_val: float, count: int = 1) -> None:
        """Add a value, the sum or mean of ``count`` samples.

        Raises:
            ScalarTypeError: the value is not a number; tensors go to the hub.
        """
        if type(log_val) is not float:
            log_val = to_number(log_val)
        if count != 1:
            log_val = counted(log_val, count)
        if self.source is None:
            self.series.append(log_val)
        else:
            self.source.defer(self, partial(self.series.append, log_val))

    def mean(self, window_size: int | str | None = None) -> float:
        """Sum of values over sum of counts; NaN where there is nothing.

        Args:
            window_size: the last so many values, the name of an opened window, or
                None for everything.
        """
        if type(window_size) is not int or window_size < 1:  # else it is a usual window
            _check_window(window_size)
        if self.source is not None:
            self._settle(window_size)
        return self.series.mean(window_size)

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
        if self.source is not None:
            self.source.settle(self)
        newest = self.series.newest
        if newest is None:
            raise EmptyHistoryError("no value was recorded yet; update the history first")
        return newest

    @property
    def data(self) -> Arrays:
        """The kept values and their counts, as two new NumPy arrays."""
        import numpy as np  # 54 ms, and only needed for statistics of users

        self._settle()
        values = self.series.kept()
        return np.array(values, dtype=float), np.array(counts_of(values), dtype=int)

    def __len__(self) -> int:
        """How many values were given, kept or not."""
        self._settle()
        return len(self.series)

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
        stats = self._windows[name] = RunningStats()
        if self.source is None:
            self.series.open_window(name, stats)
        else:
            self.source.defer(self, partial(self._open_arrived, name, stats))

    def close_window(self, name: str) -> None:
        """Stop counting under ``name``, if it was opened."""
        self._windows.pop(name, None)
        self.series.close_window(name)

    def window_names(self) -> set[str]:
        """The names of the windows that are open."""
        return set(self._windows)

    def resize(self, max_length: int) -> None:
        """Keep so many values from now on; what was dropped before stays dropped."""
        self.series.resize(max_length)

    # -- values on a device -----------------------------------------------------

    def waits_for_unsent(self) -> bool:
        """Whether values wait on a device, and no copy to the host has begun."""
        return self.source is not None and self.source.is_unsent(self)

    def wait_for(self, source: Source) -> None:
        """From now on ``source`` holds values; another one brings its values first."""
        if self.source is not None:
            self.source.collect()
        self.source = source

    def _stats(self, window_size: int | str | None) -> RunningStats:
        _check_window(window_size)
        self._settle(window_size)
        return self.series.stats(window_size)

    def _settle(self, window_size: int | str | None = None) -> None:
        """Bring over what a reader should see."""
        source = self.source
        if source is None:
            return
        source.settle(self)
        if isinstance(window_size, str) and self._windows.get(
            window_size
        ) is not self.series.windows.get(window_size):
            source.collect()  # the window was opened behind values that are on their way

    def _open_arrived(self, name: str, stats: RunningStats) -> None:
        if self._windows.get(name) is stats:  # else it was closed, or opened anew
            self.series.open_window(name, stats)

    # -- saved state ----------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """Everything of the history, as builtins that safe loaders read."""
        self._settle()
        return self.series.state_dict()

    @classmethod
    def from_state_dict(cls, state: object) -> HistoryBuffer:
        """The history whose ``state_dict`` this is.

        Raises:
            StateError: it is not one; the text says what is wrong with it.
        """
        history = cls()
        history.series = Series.from_state_dict(state)
        history._windows = dict(history.series.windows)
        return history

    def __getstate__(self) -> dict[str, Any]:
        return self.state_dict()

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(HistoryBuffer.from_state_dict(state).__dict__)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(max_length={self.max_length})"  # must not read a device


def _check_window(window_size: object) -> None:
    if window_size is None or isinstance(window_size, str):
        return
    if isinstance(window_size, bool) or not isinstance(window_size, int):
        raise InvalidArgumentError(
            "window_size is a number of values, the name of an opened window or None, "
            f"got {window_size!r}"
        )
    if window_size < 1:
        raise InvalidValueError(f"a window holds at least one value, got {window_size}")


for _method in (HistoryBuffer.mean, HistoryBuffer.max, HistoryBuffer.min, HistoryBuffer.current):
    statistic_table.register(_method)
