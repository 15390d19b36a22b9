"""Where the keys of one node, and the items of its lists, were set.

This module alone knows how origins are stored. What a file writes out is stored as line
numbers, which never change; what happens to one node later is stored beside them. Copies of a node
share its table until one of them is changed. So making or copying a node costs nothing per key.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .origin import FILE, Origin, after, make_origin

Line = int | tuple[int, tuple[Any, ...]]
"""The line of a key, or that line and the lines of the items of its list."""

Trail = tuple[Any, ...]
"""A key of a node, then positions in the lists below it: an item of ``node[key][2][0]``."""


class OriginTable:
    """The origins of one node.

    Args:
        path: the file that writes the node out.
        line: where the node itself stands in it.
        lines: where its keys stand; never changed.

    Attributes:
        is_shared: whether copies of the node have the same table, which is then copied
            before it is changed.
    """

    __slots__ = ("_changed", "_items", "_line", "_lines", "_path", "is_shared")

    def __init__(
        self,
        path: str | None = None,
        line: int | None = None,
        lines: Mapping[Any, Line] | None = None,
    ) -> None:
        self._path = path
        self._line = line
        self._lines = lines
        self._changed: dict[Any, Origin] | None = None
        self._items: dict[Trail, Origin] | None = None
        self.is_shared = False

    def of(self, key: Any) -> Origin | None:
        """Tell where a key was set; where that is unknown, where the node was written."""
        return self._known(key) or self.of_node()

    def of_node(self) -> Origin | None:
        """Tell where the node itself was written."""
        if self._path is None or self._line is None:
            return None
        return make_origin(FILE, self._path, self._line)

    def of_item(self, trail: Trail) -> Origin | None:
        """Tell where an item of a list was set, if it was set on its own."""
        return self._items.get(trail) if self._items else None

    def writes(self, key: Any) -> bool:
        """Tell whether the file writes a key out at the place of the node."""
        return self._lines is not None and key in self._lines

    def set(self, key: Any, origin: Origin) -> None:
        """Record that a key was set by ``origin``, keeping what it replaced."""
        if self._items:  # the value is a new one: nothing is known about its items
            self._items = {trail: at for trail, at in self._items.items() if trail[0] != key}
        older = self._known(key)
        self.put(key, origin if older is None else after(origin, older))

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
        table = OriginTable(self._path, self._line, self._lines)
        if self._changed:
            table._changed = self._changed.copy()
        if self._items:
            table._items = self._items.copy()
        return table

    def _known(self, key: Any) -> Origin | None:
        if self._changed is not None and (origin := self._changed.get(key)) is not None:
            return origin
        if self._lines is None or self._path is None:
            return None
        line = self._lines.get(key)
        return None if line is None else origin_at_line(self._path, line)

    def __reduce__(self) -> Any:
        stored = (self._path, self._line, self._lines)
        return _restored, (stored, self._changed, self._items)


def origin_at_line(path: str, line: Line) -> Origin:
    """Give the origin of a key that a file writes out."""
    if isinstance(line, tuple):
        return make_origin(FILE, path, line[0], line[1])
    return make_origin(FILE, path, line)


def _restored(stored: tuple[Any, ...], changed: Any, items: Any) -> OriginTable:
    table = OriginTable(*stored)
    table._changed, table._items = changed, items
    return table
