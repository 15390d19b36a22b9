"""``Snapshot``: noticing that a dataset was changed, by a hook that switches its transforms say.

Worker processes that stay alive between epochs hold copies of the dataset, which
do not see the change. Compared are objects by identity, and plain values; long
containers and arrays count as one object, so annotations cost nothing.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from types import FunctionType, ModuleType
from typing import Any

import torch

_LONG = 256  # entries of a container that are still looked at one by one
_MOST = 4096  # values that are looked at in all; about a millisecond
_PLAIN = (str, bytes, int, float, complex, bool, type(None))
_CONTAINERS = (Mapping, list, tuple, set, frozenset)
_OPAQUE = (*_PLAIN, type, FunctionType, ModuleType, torch.Tensor)


class Snapshot:
    """What can be reached from an object by its attributes and short containers."""

    def __init__(self, root: object) -> None:
        self._values: list[Any] = []  # kept, so that no other object gets the identity of one
        seen: set[int] = set()
        waiting = deque([root])
        while waiting and len(self._values) < _MOST:
            value = waiting.popleft()
            self._values.append(type(value) if _is_short(value) else value)
            if id(value) not in seen:
                seen.add(id(value))
                waiting.extend(_parts(value))

    def differs(self, other: Snapshot) -> bool:
        """Whether something was set, added, removed or replaced between the two."""
        if len(self._values) != len(other._values):
            return True
        pairs = zip(self._values, other._values, strict=True)
        return not all(_is_same(before, after) for before, after in pairs)


def _is_short(value: Any) -> bool:
    """Whether it is a container that is the same as another one with the same entries."""
    return isinstance(value, _CONTAINERS) and len(value) <= _LONG


def _parts(value: Any) -> Iterable[Any]:
    if isinstance(value, torch.Tensor):
        return (value._version,)  # counts the changes in place
    if isinstance(value, _OPAQUE):
        return ()
    if isinstance(value, _CONTAINERS):
        if not _is_short(value):
            return (len(value),)
        return (*value.keys(), *value.values()) if isinstance(value, Mapping) else value
    attributes = getattr(value, "__dict__", {})
    return (*attributes.keys(), *attributes.values())


def _is_same(before: Any, after: Any) -> bool:
    if before is after:
        return True
    return type(before) is type(after) and isinstance(before, _PLAIN) and bool(before == after)
