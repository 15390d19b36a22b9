"""Values as builtins and tensors, which load where loading must not run code.

This is the one place that turns what runs hold (NumPy scalars, paths, members of
enums, sets of options) into such values. A value that has no plain form is named by
its path, and all such values are named at once. What differs by purpose are tensors
and arrays: here they are copied, and tk-runner's checkpoints share their memory.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence, Set
from pathlib import PurePath
from typing import Any, ClassVar

from .errors import NotPlainError
from .scalars import is_tensor

_MAX_INT_BITS = 255 * 8 - 1  # what torch's safe loader reads
_SHOWN = 10


def _bytes(value: bytes | bytearray) -> bytes | bytearray:
    """The bytes; torch's safe loader refuses ``b""``, and reads the equal ``bytearray()``."""
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


class PlainConverter:
    """Makes plain values and collects what has no plain form.

    Mappings become dicts, tuples of any kind tuples, sets sorted lists, arrays lists,
    paths and members of ``IntEnum`` or ``StrEnum`` their values. Tensors are detached
    and copied, containers are new.
    """

    atoms: ClassVar[frozenset[type]] = frozenset({str, float, bool, complex, type(None)})
    """Types whose values stay as they are."""

    def __init__(self) -> None:
        self.refusals: list[str] = []
        self._open: set[int] = set()  # the containers around the value at hand

    def of(self, value: Any, path: str) -> Any:
        """The plain form of ``value``; ``None`` and a refusal where it has none."""
        if type(value) in self.atoms:
            return value
        if is_tensor(value):
            return self.tensor(value, path)
        if isinstance(value, int) and value.bit_length() > _MAX_INT_BITS:
            return self.refuse(value, path, f"of {value.bit_length()} bits")
        for builtin, convert in _BUILTINS:
            if isinstance(value, builtin):
                return convert(value)
        if hasattr(value, "dtype") and hasattr(value, "tolist"):
            return self.array(value, path)
        if isinstance(value, (Mapping, Sequence, Set)):
            return self._container(value, path)
        return self.refuse(value, path)

    def raise_refusals(self) -> None:
        """Raise what was collected.

        Raises:
            NotPlainError: something has no plain form; the text has each with its path.
        """
        if not self.refusals:
            return
        shown = self.refusals[:_SHOWN]
        if more := len(self.refusals) - len(shown):
            shown.append(f"and {more} more")
        raise NotPlainError(
            "checkpoints hold tensors, numbers, texts, and lists and dicts of them, which load "
            "without running code; leave these out of state_dict() or give them as such values:"
            "\n- " + "\n- ".join(shown)
        )

    def tensor(self, value: Any, path: str) -> Any:
        """The plain form of a tensor."""
        return value.detach().clone()

    def array(self, value: Any, path: str) -> Any:
        """The plain form of an array or scalar of NumPy."""
        return self.of(value.tolist(), path)

    def refuse(self, value: Any, path: str, reason: str = "") -> None:
        """Collect a value that has no plain form."""
        kind = type(value)
        name = kind.__qualname__ if kind.__module__ == "builtins" else _full_name(kind)
        self.refusals.append(
            " ".join(filter(None, (path or "the checkpoint", "is a", name, reason)))
        )

    def _container(self, value: Any, path: str) -> Any:
        if id(value) in self._open:
            return self.refuse(value, path, "that contains itself")
        self._open.add(id(value))
        try:
            if isinstance(value, Mapping):
                return self._mapping(value, path)
            if isinstance(value, Set):
                value = sorted(value, key=lambda entry: (type(entry).__name__, entry))
            entries = [self.of(entry, f"{path}[{place}]") for place, entry in enumerate(value)]
            return tuple(entries) if isinstance(value, tuple) else entries
        except TypeError:
            return self.refuse(value, path, "whose entries have no order")
        finally:
            self._open.discard(id(value))

    def _mapping(self, value: Mapping[Any, Any], path: str) -> dict[Any, Any]:
        inner: dict[Any, Any] = {}
        for key, entry in value.items():
            place = f"{path}.{key}" if path else str(key)
            name = self.of(key, f"the key {place}")
            if name in inner:
                self.refuse(key, place, f"whose plain form {name!r} is another key as well")
            inner[name] = self.of(entry, place)
        metadata = getattr(value, "_metadata", None)
        if metadata is None:
            return inner
        # a state dict keeps the versions of its modules
        kept = OrderedDict(inner)
        kept._metadata = self.of(metadata, f"{path}._metadata")  # type: ignore[attr-defined]
        return kept


def _full_name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"
