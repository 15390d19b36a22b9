"""Values as tensors and builtins, which torch's safe loader reads; the rest is refused.

This is the one place that turns what runs hold (NumPy scalars, paths, sets of
options) into plain values. A value that has no plain form is named by its path,
and all such values are named at once.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence, Set
from pathlib import PurePath
from typing import Any

import torch

from .errors import NotPlainError

_ATOMS = frozenset({str, float, bool, complex, torch.device, torch.dtype, type(None)})
_MAX_INT_BITS = 255 * 8 - 1  # what the safe loader reads
_SHOWN = 10


def _bytes(value: bytes | bytearray) -> bytes | bytearray:
    """The bytes; the safe loader refuses ``b""``, and reads the equal ``bytearray()``."""
    return memoryview(value).tobytes() or bytearray()


# Subclasses as their builtin, such as members of an IntEnum: the value, not what str() makes of it.
_BUILTINS: Sequence[tuple[type, Callable[[Any], Any]]] = (
    (int, int.__int__),
    (float, float.__float__),
    (str, str.__str__),
    (bytes, _bytes),
    (bytearray, _bytes),
    (PurePath, str),
)


def plain_values(value: Any, path: str = "") -> Any:
    """``value`` with everything in it plain; tensors share their memory, containers are new.

    Mappings become dicts, tuples of any kind tuples, sets sorted lists, arrays
    tensors, paths and members of ``IntEnum`` or ``StrEnum`` their values. Tensors
    lose their graph, their class and their attributes.

    Raises:
        NotPlainError: something has no plain form; the text has each with its path.
    """
    conversion = _Conversion()
    plain = conversion.of(value, path)
    conversion.raise_refusals()
    return plain


def check_plain(parts: Mapping[str, Any]) -> None:
    """Find out before a run begins whether all of its parts can be saved.

    Args:
        parts: states by the name that an error shall give them, for instance
            ``{"hooks.EMAHook": hook.state_dict()}``.

    Raises:
        NotPlainError: they cannot; the text has every value with its path.
    """
    conversion = _Conversion()
    for name, state in parts.items():
        conversion.of(state, name)
    conversion.raise_refusals()


class _Conversion:
    def __init__(self) -> None:
        self._refusals: list[str] = []
        self._open: set[int] = set()  # the containers around the value at hand

    def raise_refusals(self) -> None:
        if not self._refusals:
            return
        shown = self._refusals[:_SHOWN]
        if more := len(self._refusals) - len(shown):
            shown.append(f"and {more} more")
        raise NotPlainError(
            "checkpoints hold tensors, numbers, texts, and lists and dicts of them, which load "
            "without running code; leave these out of state_dict() or give them as such values:"
            "\n- " + "\n- ".join(shown)
        )

    def of(self, value: Any, path: str) -> Any:
        if type(value) in _ATOMS:
            return value
        if isinstance(value, torch.Tensor):
            return self._tensor(value, path)
        if isinstance(value, int) and value.bit_length() > _MAX_INT_BITS:
            return self._refuse(value, path, f"of {value.bit_length()} bits")
        for builtin, convert in _BUILTINS:
            if isinstance(value, builtin):
                return convert(value)
        if hasattr(value, "dtype") and hasattr(value, "tolist"):
            return self._array(value, path)
        if isinstance(value, (Mapping, Sequence, Set)):
            return self._container(value, path)
        return self._refuse(value, path)

    def _container(self, value: Any, path: str) -> Any:
        if id(value) in self._open:
            return self._refuse(value, path, "that contains itself")
        self._open.add(id(value))
        try:
            if isinstance(value, Mapping):
                return self._mapping(value, path)
            if isinstance(value, Set):
                value = sorted(value, key=lambda one: (type(one).__name__, one))
            entries = [self.of(one, f"{path}[{place}]") for place, one in enumerate(value)]
            return tuple(entries) if isinstance(value, tuple) else entries
        except TypeError:
            return self._refuse(value, path, "whose entries have no order")
        finally:
            self._open.discard(id(value))

    def _mapping(self, value: Mapping[Any, Any], path: str) -> dict[Any, Any]:
        inner: dict[Any, Any] = {}
        for key, one in value.items():
            place = f"{path}.{key}" if path else str(key)
            name = self.of(key, f"the key {place}")
            if name in inner:
                self._refuse(key, place, f"whose plain form {name!r} is another key as well")
            inner[name] = self.of(one, place)
        metadata = getattr(value, "_metadata", None)
        if metadata is None:
            return inner
        # a state dict keeps the versions of its modules
        kept = OrderedDict(inner)
        kept._metadata = self.of(metadata, f"{path}._metadata")  # type: ignore[attr-defined]
        return kept

    def _tensor(self, value: torch.Tensor, path: str) -> Any:
        plain = value.detach()
        if type(plain) is not torch.Tensor:
            if hasattr(plain, "__tensor_flatten__") or hasattr(plain, "placements"):
                return self._refuse(value, path, "that is no single tensor; use full_tensor()")
            plain = plain.as_subclass(torch.Tensor)
        return plain

    def _array(self, value: Any, path: str) -> Any:
        if value.dtype.kind in "US":
            return value.tolist()
        if value.dtype.kind not in "biufc" or value.dtype.itemsize > 16:
            return self._refuse(value, path, f"of {value.dtype}")
        if value.ndim == 0:
            return value.item()
        return torch.from_numpy(value.astype(value.dtype.newbyteorder("="), copy=True))

    def _refuse(self, value: Any, path: str, reason: str = "") -> None:
        kind = type(value)
        name = kind.__qualname__ if kind.__module__ == "builtins" else _full_name(kind)
        self._refusals.append(
            " ".join(filter(None, (path or "the checkpoint", "is a", name, reason)))
        )


def _full_name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"
