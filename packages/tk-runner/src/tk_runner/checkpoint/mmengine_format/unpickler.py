"""A pickle reader for a closed world: it imports nothing and calls only stand-ins.

Names of a pickle are looked up in a table that the caller gives; what they stand
for are objects of `stand_ins`, never the real function or class. Operations that
could reach anything else are not known to this reader. What comes out may still
be nonsense, but it is inert nonsense.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from ..errors import UnsafeCheckpointError
from .stand_ins import Anything, Call, Inert, cheap_key

Names = Mapping[tuple[str, str], Any]
# By protocol 0 texts, by the registry of copyreg, from buffers outside of the file, or with
# memory for as many bytes as the pickle says before any of them is there.
_REFUSED = (
    pickle.PERSID, pickle.INST, pickle.OBJ, pickle.EXT1, pickle.EXT2, pickle.EXT4,
    pickle.NEXT_BUFFER, pickle.READONLY_BUFFER, pickle.BYTEARRAY8,
)  # fmt: skip


class DisallowedGlobalError(UnsafeCheckpointError):
    """A name outside of the table; the text is that name."""


class RestrictedUnpickler(pickle._Unpickler):
    """Reads a pickle with the given names alone.

    The pure Python reader: its memo is a dict, so that a hostile index costs
    nothing, and each of its operations can be replaced.

    Args:
        data: the pickle.
        names: what (module, name) stand for.
        storage_of: gives what a persistent id stands for.
        is_lenient: let unknown names stand for `Anything`, for readers that only
            want the plain values around them.
    """

    dispatch: ClassVar[dict[int, Any]] = {
        code: method
        for code, method in pickle._Unpickler.dispatch.items()
        if code not in {operation[0] for operation in _REFUSED}
    }

    def __init__(
        self,
        data: bytes,
        names: Names,
        storage_of: Callable[[Any], Any],
        *,
        is_lenient: bool = False,
    ) -> None:
        super().__init__(io.BytesIO(data))
        self._names = names
        self._storage_of = storage_of
        self._is_lenient = is_lenient
        self.unknown_names: set[tuple[str, str]] = set()

    def find_class(self, module: str, name: str) -> Any:
        """The stand-in for a name."""
        if (module, name) in self._names:
            return self._names[module, name]
        if self._is_lenient:
            self.unknown_names.add((module, name))
            return Call(Anything)
        raise DisallowedGlobalError(f"{module}.{name}")

    def persistent_load(self, pid: Any) -> Any:
        """What stands for a storage."""
        return self._storage_of(pid)

    def _set_item(self) -> None:
        stack: list[Any] = self.stack  # type: ignore[attr-defined]
        value, key = stack.pop(), stack.pop()
        stack[-1][cheap_key(key)] = value

    def _set_items(self) -> None:
        entries = self.pop_mark()  # type: ignore[attr-defined]
        target: Any = self.stack[-1]  # type: ignore[attr-defined]
        for place in range(0, len(entries), 2):
            target[cheap_key(entries[place])] = entries[place + 1]

    def _add_items(self) -> None:
        entries = self.pop_mark()  # type: ignore[attr-defined]
        self.stack[-1].update(map(cheap_key, entries))  # type: ignore[attr-defined]

    def _frozen_set(self) -> None:
        entries = self.pop_mark()  # type: ignore[attr-defined]
        self.append(frozenset(map(cheap_key, entries)))  # type: ignore[attr-defined]

    def _call(self) -> None:
        stack: list[Any] = self.stack  # type: ignore[attr-defined]
        arguments = stack.pop()
        stack[-1] = _called(stack[-1], arguments)

    def _call_without_keywords(self) -> None:
        self.stack.pop()  # type: ignore[attr-defined]
        self._call()

    def _build(self) -> None:
        stack: list[Any] = self.stack  # type: ignore[attr-defined]
        state = stack.pop()
        if not isinstance(stack[-1], Inert):
            raise DisallowedGlobalError(f"setting the state of a {type(stack[-1]).__name__}")
        stack[-1].take_state(state)

    dispatch[pickle.SETITEM[0]] = _set_item
    dispatch[pickle.SETITEMS[0]] = _set_items
    dispatch[pickle.ADDITEMS[0]] = _add_items
    dispatch[pickle.FROZENSET[0]] = _frozen_set
    dispatch[pickle.REDUCE[0]] = _call
    dispatch[pickle.NEWOBJ[0]] = _call
    dispatch[pickle.NEWOBJ_EX[0]] = _call_without_keywords
    dispatch[pickle.BUILD[0]] = _build


def _called(target: Any, arguments: Any) -> Any:
    if type(target) is not Call or type(arguments) is not tuple:
        raise DisallowedGlobalError(f"calling a {type(target).__name__}")
    return target.make(*arguments)
