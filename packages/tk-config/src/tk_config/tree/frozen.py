"""Freezing: nodes and lists that refuse every later change."""

from __future__ import annotations

import copy
from typing import Any, NoReturn, SupportsIndex

from ..errors import FrozenConfigError
from .node import ATOMS, Node, set_state


class FrozenList(list):  # type: ignore[type-arg]  # items are what the user wrote
    """A list of a frozen config: equal to any list of the same items, and unchangeable."""

    def _refuse(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise FrozenConfigError(
            "this list belongs to a frozen config and cannot be changed; change a copy instead"
        )

    append = clear = extend = insert = pop = remove = reverse = sort = _refuse
    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse

    def __copy__(self) -> list[Any]:
        return list(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> list[Any]:
        return [copy.deepcopy(item, memo) for item in self]

    def __reduce_ex__(self, protocol: SupportsIndex) -> Any:
        return FrozenList, (list(self),)


def freeze(value: Any) -> Any:
    """Freeze a value at any depth; gives the node itself, and frozen copies of lists."""
    if isinstance(value, Node):
        for key, item in dict.items(value):
            if item.__class__ not in ATOMS:
                dict.__setitem__(value, key, freeze(item))
        set_state(value, "_tk_frozen", True)
    elif value.__class__ is list:
        return FrozenList([freeze(item) for item in value])
    elif value.__class__ is tuple:
        return tuple([freeze(item) for item in value])
    return value
