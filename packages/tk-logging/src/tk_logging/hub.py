"""`MessageHub`: scalars with their histories, and the latest of everything else.

Tensors are copied on their device, detached, and read when somebody reads: then the
pending values of all keys come over together.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any
from weakref import WeakSet

from tk_registry import ManagerMixin, did_you_mean

from .errors import InvalidArgumentError, InvalidValueError, UnknownScalarError
from .history import HistoryBuffer
from .pending import PendingScalars
from .recorder import Recorder
from .resume import check_flag, checked_state, history_of, loadable_flags, state_of, taken_over
from .rows import rows_of
from .scalars import are_whole_tensors, is_tensor, to_number, whole
from .series import checked_count

DEFAULT_NAME = "tk"
_MAX_CHECKED_KEYS = 256  # sets of keys; a run has a few


class MessageHub(ManagerMixin):
    """Where the parts of a run leave numbers and facts for each other.

    Values may be numbers, NumPy scalars, or arrays and tensors of one element, on any
    device. Nothing is read from a device before somebody asks.

    Args:
        name: under which ``get_instance`` finds it.
        log_scalars: histories to begin with, by key.
        runtime_info: facts to begin with, by key.
        resumed_keys: for keys of both, whether checkpoints hold them.
        history_length: how many values a history keeps, besides its running statistics.
    """

    def __init__(
        self,
        name: str,
        log_scalars: dict[str, HistoryBuffer] | None = None,
        runtime_info: dict[str, Any] | None = None,
        resumed_keys: dict[str, bool] | None = None,
        *,
        history_length: int = 1000,
    ) -> None:
        super().__init__(name)
        self._lock = threading.RLock()
        self._pending = PendingScalars(self._lock)
        self._windows: dict[str, None] = {}
        self._history_length = _checked_length(history_length)
        self._log_scalars: dict[str, HistoryBuffer] = _checked_dict("log_scalars", log_scalars)
        self._runtime_info = _checked_dict("runtime_info", runtime_info)
        self._resumed_keys: dict[str, bool] = _checked_dict("resumed_keys", resumed_keys)
        self._checked_keys: dict[tuple[str, ...], bool] = {}  # keys given together, their flag
        self._recorders: WeakSet[Recorder] = WeakSet()
        for key, history in self._log_scalars.items():
            if not isinstance(history, HistoryBuffer):
                raise InvalidArgumentError(
                    f"log_scalars[{key!r}] is a HistoryBuffer, got {type(history).__name__}"
                )
        unknown = self._resumed_keys.keys() - self._log_scalars.keys() - self._runtime_info.keys()
        if unknown:
            raise InvalidValueError(
                f"resumed_keys names {', '.join(sorted(map(repr, unknown)))}, which neither "
                "log_scalars nor runtime_info holds; leave them out"
            )

    @classmethod
    def get_current_instance(cls) -> MessageHub:
        """The hub that was last made current; one named ``tk`` where there is none at all."""
        if not cls._instance_dict:
            cls.get_instance(DEFAULT_NAME)
        return super().get_current_instance()

    # -- scalars --------------------------------------------------------------

    def update_scalar(self, key: str, value: Any, count: int = 1, resumed: bool = True) -> None:
        """Add a value to the history of ``key``, without reading it.

        A tensor is copied on its device at once: what happens to it afterwards does
        not change the record.

        Args:
            key: name of the history, made when new.
            value: a number, or an array or tensor of one element.
            count: how many samples the value sums up; the mean divides by it.
            resumed: whether checkpoints hold the history; the same in every call.

        Raises:
            ScalarShapeError: ``value`` has more or fewer elements than one.
            ScalarTypeError: ``value`` is no number.
            ResumedFlagError: ``resumed`` is not what it was before.
        """
        history = self._log_scalars.get(key)
        if history is None or self._resumed_keys.get(key) is not resumed:
            check_flag(self._resumed_keys, key, resumed)
        if type(value) is not float:
            if is_tensor(value):
                counts = None if count == 1 else (checked_count(count),)
                self._store((key,), (value,), counts, resumed)
                return
            value = to_number(value, key)
        if history is None:
            count = checked_count(count)
            history = self._history(key, resumed)
        history.update(value, count)

    def update_scalars(self, log_dict: Mapping[str, Any], resumed: bool = True) -> None:
        """Add a value to each of several histories; all of them, or none on a mistake.

        Tensors of one device and kind are copied together, so this is faster than
        one ``update_scalar`` for each.

        Args:
            log_dict: values by key, each plain or ``dict(value=..., count=...)``.
            resumed: as in ``update_scalar``.
        """
        if not isinstance(log_dict, (dict, Mapping)):  # asking an ABC first is slow
            raise InvalidArgumentError(
                f"log_dict is a dict of values by name, got {type(log_dict).__name__}"
            )
        if len(log_dict) == 1:
            [(key, value)] = log_dict.items()
            if not isinstance(value, dict):
                self.update_scalar(key, value, 1, resumed)
                return
        keys = tuple(log_dict)
        if self._checked_keys.get(keys) is not resumed:
            self._check_flags(keys, resumed)
        values = list(log_dict.values())
        if values and are_whole_tensors(values):  # the usual case: the losses of a step
            self._store(keys, values, None, resumed)
        else:
            self._update_mixed(log_dict, resumed)

    def _check_flags(self, keys: tuple[str, ...], resumed: bool) -> None:
        for key in keys:
            check_flag(self._resumed_keys, key, resumed)
        if all(key in self._resumed_keys for key in keys):  # else their flags may still change
            if len(self._checked_keys) >= _MAX_CHECKED_KEYS:
                self._checked_keys.clear()
            self._checked_keys[keys] = resumed

    def _update_mixed(self, log_dict: Mapping[str, Any], resumed: bool) -> None:
        numbers: list[tuple[str, float, int]] = []
        keys: list[str] = []
        tensors: list[Any] = []
        counts: list[int] = []
        for key, value in log_dict.items():
            count = 1
            if isinstance(value, dict):
                value, count = _value_and_count(key, value)
            if is_tensor(value):
                keys.append(key)
                tensors.append(value)
                counts.append(count)
            else:
                numbers.append((key, to_number(value, key), count))
        if tensors:
            self._store(tuple(keys), tensors, counts, resumed)
        for key, number, count in numbers:
            self._history(key, resumed).update(number, count)

    def recorder(self, keys: Iterable[str], resumed: bool = True) -> Recorder:
        """What adds a value to each of ``keys`` when it is called with the values in their order.

        The same as ``update_scalars``, for a loop that records the same scalars in
        each iteration: what can be done once is done once.
        """
        recorder = Recorder(
            tuple(keys),
            self._log_scalars,
            self._pending,
            partial(self.update_scalars, resumed=resumed),
        )
        self._recorders.add(recorder)
        return recorder

    def get_scalar(self, key: str) -> HistoryBuffer:
        """The history of ``key``; reading it brings over pending values of all keys.

        Raises:
            UnknownScalarError: nothing was recorded under ``key``.
        """
        history = self._log_scalars.get(key)
        if history is not None:
            return history
        hint = did_you_mean(key, self._log_scalars, "record it with update_scalar first")
        raise UnknownScalarError(
            f"message hub {self.instance_name!r} holds no scalar {key!r}; it holds: "
            f"{', '.join(sorted(self._log_scalars)) or 'none yet'}; {hint}"
        )

    @property
    def log_scalars(self) -> dict[str, HistoryBuffer]:
        """All histories by key: the live dict, not a copy."""
        return self._log_scalars

    def collect(self) -> None:
        """Bring all pending values over: one read for each device and dtype family.

        Every reader of a history does this when it has to; calling it before reading
        several histories says where the one wait of the log line is.
        """
        self._pending.collect()

    def collect_async(self) -> None:
        """Begin to bring all pending values over, without waiting for the device.

        Until further values are recorded, readers see the newest values that are
        complete: those of the call before, in a steady loop. A history of which
        nothing has arrived yet is waited for. On CPUs this is ``collect``.
        """
        self._pending.collect_async()

    @property
    def num_reads(self) -> int:
        """How many copies of pending values to the host there were so far."""
        return self._pending.num_reads

    # -- windows --------------------------------------------------------------

    @property
    def history_length(self) -> int:
        """How many values each history keeps; setting it resizes all of them."""
        return self._history_length

    @history_length.setter
    def history_length(self, length: int) -> None:
        self._history_length = _checked_length(length)
        for history in list(self._log_scalars.values()):
            history.resize(length)

    def open_window(self, name: str) -> None:
        """Begin a stretch, such as an epoch, over which every history counts exactly.

        ``history.mean(name)`` is then the mean since this call, however long that is.
        Opening a name again begins it anew. Nothing is read from a device.
        """
        with self._lock:
            self._windows[name] = None
            for history in self._log_scalars.values():
                history.open_window(name)

    def close_window(self, name: str) -> None:
        """End a stretch; its statistics are dropped."""
        with self._lock:
            self._windows.pop(name, None)
            for history in self._log_scalars.values():
                history.close_window(name)

    # -- facts ----------------------------------------------------------------

    def update_info(self, key: str, value: Any, resumed: bool = True) -> None:
        """Set the latest ``value`` of ``key``; the object itself is kept."""
        if self._resumed_keys.get(key) is not resumed:
            check_flag(self._resumed_keys, key, resumed)
            self._resumed_keys[key] = resumed
        self._runtime_info[key] = value

    def update_info_dict(self, info_dict: Mapping[str, Any], resumed: bool = True) -> None:
        """Set several facts."""
        if not isinstance(info_dict, Mapping):
            raise InvalidArgumentError(
                f"info_dict is a dict of values by name, got {type(info_dict).__name__}"
            )
        for key, value in info_dict.items():
            self.update_info(key, value, resumed)

    def get_info(self, key: str, default: Any = None) -> Any:
        """The latest value of ``key``, the object itself; ``default`` where there is none."""
        return self._runtime_info.get(key, default)

    def pop_info(self, key: str, default: Any = None) -> Any:
        """Take a fact out; ``default`` where there is none."""
        return self._runtime_info.pop(key, default)

    @property
    def runtime_info(self) -> dict[str, Any]:
        """All facts by key: the live dict, not a copy."""
        return self._runtime_info

    # -- saved state ----------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """All that is to be resumed, complete, as builtins and tensors; shares nothing."""
        with self._lock:
            self.collect()
            return state_of(
                dict(self._log_scalars), dict(self._runtime_info), dict(self._resumed_keys)
            )

    def load_state_dict(self, state_dict: Mapping[str, Any] | MessageHub) -> None:
        """Take over saved scalars and facts; keys that are not among them stay.

        Raises:
            StateError: it is not the state of a hub.
        """
        if isinstance(state_dict, MessageHub):
            state_dict = state_dict.state_dict()
        state = checked_state(state_dict)
        with self._lock:
            for key, saved in state["log_scalars"].items():
                history = history_of(key, saved)
                if history is not None:
                    self._adopt(key, history)
            for key, value in state["runtime_info"].items():
                self._runtime_info[key] = taken_over(value, key)
            known = self._log_scalars.keys() | self._runtime_info.keys()
            self._resumed_keys.update(loadable_flags(state["resumed_keys"], known))
            self._checked_keys.clear()

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (type(self), self.instance_name, self.state_dict())

    # -- inside ---------------------------------------------------------------

    def _history(self, key: str, resumed: bool) -> HistoryBuffer:
        history = self._log_scalars.get(key)
        if history is not None:
            return history
        with self._lock:
            if key not in self._log_scalars:
                self._resumed_keys[key] = resumed
                self._adopt(key, HistoryBuffer(max_length=self._history_length))
            return self._log_scalars[key]

    def _adopt(self, key: str, history: HistoryBuffer) -> None:
        for name in self._windows.keys() - history.window_names():
            history.open_window(name)
        self._windows.update(dict.fromkeys(history.window_names()))
        self._log_scalars[key] = history
        for recorder in self._recorders:
            recorder.forget()

    def _store(
        self,
        keys: tuple[str, ...],
        tensors: Sequence[Any],
        counts: Sequence[int] | None,
        resumed: bool,
    ) -> None:
        known, pending = self._log_scalars, self._pending
        try:
            histories = tuple([known[key] for key in keys])
        except KeyError:  # the first time
            histories = ()
        if histories and counts is None:  # as in the iteration before, most of the time
            block = pending.open_block(histories)
            if block is not None and pending.extend(block, tensors) is not None:
                return
        for row in rows_of(keys, [whole(tensor) for tensor in tensors], counts):
            pending.store(row, tuple([self._history(key, resumed) for key in row.keys]))


def _rebuilt(kind: type[MessageHub], name: str, state: Mapping[str, Any]) -> MessageHub:
    """A hub out of a pickle or a copy; not entered among the named instances."""
    hub = kind(name)
    hub.load_state_dict(state)
    return hub


def _value_and_count(key: str, entry: dict[str, Any]) -> tuple[Any, int]:
    if "value" not in entry or entry.keys() - {"value", "count"}:
        raise InvalidValueError(
            f"{key!r} is given as a dict with {', '.join(map(repr, entry)) or 'nothing'}; "
            "it needs 'value' and may have 'count'"
        )
    return entry["value"], checked_count(entry.get("count", 1))


def _checked_dict(name: str, given: object) -> dict[str, Any]:
    if given is None:
        return {}
    if not isinstance(given, dict):
        raise InvalidArgumentError(f"{name} is a dict or None, got {type(given).__name__}")
    return dict(given)


def _checked_length(length: int) -> int:
    if length < 1:
        raise InvalidValueError(f"history_length is a whole number from 1 on, got {length!r}")
    return length
