"""Where the keys of one node, and the items of its lists, were set.

This module alone knows how origins are stored. A table has two layers: ``written`` is
shared by all nodes that the same place of a file makes and never changes; what happens
to one node later is stored beside it. So making or copying a node costs nothing per key.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .origin import Origin, after

WHOLE_NODE = "\0node"
"""The key of ``written`` under which the place of the node itself stands."""

Trail = tuple[Any, ...]
"""A key of a node, then positions in the lists below it: an item of ``node[key][2][0]``."""


class OriginTable:
    """The origins of one node.

    Args:
        written: origins of the keys that a file writes out, and of the node itself.
    """

    __slots__ = ("_changed", "_items", "_written")

    def __init__(self, written: Mapping[Any, Origin] | None = None) -> None:
        self._written = written
        self._changed: dict[Any, Origin] | None = None
        self._items: dict[Trail, Origin] | None = None

    def of(self, key: Any) -> Origin | None:
        """Tell where a key was set; where that is unknown, where the node was written."""
        return self._known(key) or self.of_node()

    def of_node(self) -> Origin | None:
        """Tell where the node itself was written."""
        return self._written.get(WHOLE_NODE) if self._written else None

    def of_item(self, trail: Trail) -> Origin | None:
        """Tell where an item of a list was set, if it was set on its own."""
        return self._items.get(trail) if self._items else None

    def set(self, key: Any, origin: Origin) -> None:
        """Record that a key was set by ``origin``, keeping what it replaced."""
        if self._items:  # the value is a new one: nothing is known about its items
            self._items = {trail: at for trail, at in self._items.items() if trail[0] != key}
        older = self._known(key)
        if self._changed is None:
            self._changed = {}
        self._changed[key] = origin if older is None else after(origin, older)

    def put(self, key: Any, origin: Origin) -> None:
        """Record the whole history of a key, in place of what was known."""
        if self._changed is None:
            self._changed = {}
        self._changed[key] = origin

    def set_item(self, trail: Trail, origin: Origin) -> None:
        """Record that an item of a list was set on its own."""
        if self._items is None:
            self._items = {}
        older = self._items.get(trail) or self.of(trail[0])
        self._items[trail] = after(origin, older)

    def copy(self) -> OriginTable:
        """Give a table of its own to a copy of the node."""
        table = OriginTable(self._written)
        if self._changed:
            table._changed = self._changed.copy()
        if self._items:
            table._items = self._items.copy()
        return table

    def _known(self, key: Any) -> Origin | None:
        if self._changed is not None and (origin := self._changed.get(key)) is not None:
            return origin
        return self._written.get(key) if self._written else None

    def __reduce__(self) -> Any:
        return _restored, (self._written, self._changed, self._items)


def _restored(written: Any, changed: Any, items: Any) -> OriginTable:
    table = OriginTable(written)
    table._changed, table._items = changed, items
    return table
