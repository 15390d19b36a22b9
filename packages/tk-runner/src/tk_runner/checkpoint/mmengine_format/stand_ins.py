"""What stands for the names that a pickle may ask for: plain data, and functions that make it.

Nothing here is the real thing. A stand-in for a class is a function that makes
an `Inert` object; its state is taken apart by `take_state`, and `value` gives
what is left as plain data.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from tk_logging import HistoryBuffer

from ..errors import CorruptCheckpointError

_DTYPE = re.compile(r"[<>=|]?([biufcSU]\d{1,9})")


class CostlyKeyError(CorruptCheckpointError):
    """A key whose hash may take for ever to compute."""


def cheap_key(key: Any) -> Any:
    """``key``, unless it is a tuple in which tuples are nested.

    A tuple hashes all that is in it, again each time, so that forty tuples that
    hold the one before twice take days.

    Raises:
        CostlyKeyError: it is one.
    """
    if isinstance(key, (tuple, frozenset)) and any(
        isinstance(entry, (tuple, frozenset)) for entry in key
    ):
        raise CostlyKeyError("a key is a tuple of tuples, which no checkpoint of torch has")
    return key


def plain_set(entries: Any = ()) -> set[Any]:
    """A set of entries that are cheap to hash."""
    return set(map(cheap_key, entries))


class Call:
    """A function that the pickle may call, and cannot change."""

    __slots__ = ("make",)
    make: Callable[..., Any]

    def __init__(self, make: Callable[..., Any]) -> None:
        object.__setattr__(self, "make", make)

    def __setattr__(self, name: str, value: Any) -> None:
        raise TypeError("a stand-in is not changed")


class Inert:
    """An object of a pickle, as data."""

    __slots__ = ()

    def take_state(self, state: Any) -> None:
        """Keep what matters of a pickled state."""
        raise CorruptCheckpointError(f"a {type(self).__name__} has no state")

    def value(self) -> Any:
        """The plain value; containers in it are still to be translated."""
        raise NotImplementedError


class Table(Inert, dict[Any, Any]):
    """An ordered dict, whose only attribute is the versions of a state dict's modules."""

    __slots__ = ("metadata",)

    def __init__(self, entries: Any = ()) -> None:
        pairs = entries.items() if isinstance(entries, dict) else entries
        super().__init__((cheap_key(key), value) for key, value in pairs)
        self.metadata: Any = None

    def take_state(self, state: Any) -> None:
        """Keep the versions."""
        if isinstance(state, dict):
            self.metadata = state.get("_metadata")


class Anything(Table):
    """What nobody asks for: it takes whatever is put into it, and keeps nothing."""

    __slots__ = ()

    def __init__(self, *_: Any) -> None:
        super().__init__()

    def take_state(self, state: Any) -> None:
        """Forget it."""

    def append(self, one: Any) -> None:
        """Forget it."""

    def __hash__(self) -> int:  # type: ignore[override]  # it may stand for a key
        return id(self)


class History(Inert):
    """A pickled ``HistoryBuffer`` of MMEngine."""

    __slots__ = ("state",)

    def __init__(self) -> None:
        self.state: dict[Any, Any] = {}

    def take_state(self, state: Any) -> None:
        """Keep its fields."""
        if isinstance(state, dict):
            self.state = state

    def value(self) -> Any:
        """The state that our own history reads."""
        values = _numbers(self.state.get("_log_history"))
        counts = _numbers(self.state.get("_count_history"))
        length = self.state.get("_max_length")
        limit = {"max_length": length} if type(length) is int and length > 0 else {}
        history = HistoryBuffer(values, [int(count) for count in counts], **limit)
        return history.state_dict()


def _numbers(array: Any) -> list[float]:
    value = array.value() if isinstance(array, Array) else array
    if isinstance(value, torch.Tensor):
        value = value.tolist()
    return [float(one) for one in value or ()]


class ArrayType(Inert):
    """A NumPy dtype of numbers or text; never one that holds objects or fields."""

    __slots__ = ("order", "text")

    def __init__(self, text: Any, *_: Any) -> None:
        found = _DTYPE.fullmatch(text) if isinstance(text, str) else None
        if found is None:
            raise CorruptCheckpointError(f"an array of {text!r} is not plain data")
        self.text = found[1]
        self.order = "="

    def take_state(self, state: Any) -> None:
        """Keep the byte order."""
        _, self.order, base, names, fields, *_rest = state
        if (base, names, fields) != (None, None, None) or self.order not in ("<", ">", "=", "|"):
            raise CorruptCheckpointError("an array with fields is not plain data")

    def real(self) -> np.dtype[Any]:
        """The dtype itself."""
        return np.dtype(self.order + self.text)


class Array(Inert):
    """A NumPy array."""

    __slots__ = ("array",)

    def __init__(self, *_: Any) -> None:
        self.array = np.zeros(0)

    def take_state(self, state: Any) -> None:
        """Build the array out of its bytes; NumPy checks that they are as many as they must be."""
        _, shape, kind, is_fortran, data = state
        flat = np.frombuffer(data, dtype=kind.real())
        self.array = flat.reshape(shape, order="F" if is_fortran else "C").copy()

    def value(self) -> Any:
        """A tensor of numbers, or a list of texts."""
        if self.array.dtype.kind in "SU":
            return self.array.tolist()
        return torch.from_numpy(self.array.astype(self.array.dtype.newbyteorder("=")))


def array_scalar(kind: ArrayType, data: bytes) -> Any:
    """A NumPy scalar as Python's number or text."""
    return np.frombuffer(data, dtype=kind.real())[0].item()


def encoded(text: str, encoding: str = "latin1") -> bytes:
    """Bytes, which old protocols write as text."""
    if encoding != "latin1":
        raise CorruptCheckpointError(f"bytes are written in latin1, not in {encoding!r}")
    return text.encode("latin1")


NUMPY_CORE = ("numpy.core.multiarray", "numpy._core.multiarray")
PLAIN_NAMES: dict[tuple[str, str], Any] = {
    ("collections", "OrderedDict"): Call(Table),
    ("collections", "Counter"): Call(Table),
    ("collections", "defaultdict"): Call(lambda *_: Table()),
    ("builtins", "set"): Call(plain_set),
    ("__builtin__", "set"): Call(plain_set),
    ("builtins", "complex"): Call(complex),
    ("__builtin__", "complex"): Call(complex),
    ("_codecs", "encode"): Call(encoded),
    ("numpy", "dtype"): Call(ArrayType),
    ("numpy", "ndarray"): Call(Array),
    **{(module, "_reconstruct"): Call(Array) for module in NUMPY_CORE},
    **{(module, "scalar"): Call(array_scalar) for module in NUMPY_CORE},
    ("mmengine.logging.history_buffer", "HistoryBuffer"): Call(History),
    # a history refers to methods of its class, which become nothing
    ("builtins", "getattr"): Call(lambda *_: None),
    ("__builtin__", "getattr"): Call(lambda *_: None),
}
