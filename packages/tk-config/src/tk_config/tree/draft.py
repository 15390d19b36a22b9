"""Nodes of a file that is still being executed.

Lazy values stay placeholders, and what is put into a draft is shared, as in any Python
code; ``finish.py`` makes the tree that owns copies. What happens to a draft by ``update``
depends on where it is from: a dict that the file itself writes out is updated like a plain
dict, one that it inherits is merged into.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from typing import Any

from .config_dict import ConfigDict, MissingAttributeError
from .frozen import FrozenList
from .node import ATOMS, Node, copy_origins, origin_of, origins_of, set_state
from .origin import origin_of_caller
from .origin_table import OriginTable


class DraftDict(ConfigDict):
    """A dict while its file is executed."""

    _tk_inherited = False

    # nothing is built while a file is read: these are the plain ones of dict
    __getitem__ = dict.__getitem__
    __iter__ = dict.__iter__
    get = dict.get  # type: ignore[assignment]  # with the overloads of dict
    items = dict.items
    values = dict.values

    def __getattr__(self, name: str) -> Any:
        if name in self:
            return self[name]
        raise MissingAttributeError(self, name)

    def _adopt(self, value: Any) -> Any:
        return value

    def _node_from(self, value: dict[Any, Any]) -> ConfigDict:
        return inherited_copy(value)  # type: ignore[no-any-return]  # a dict gives a node

    def update(self, *args: Any, **kwargs: Any) -> None:
        """Set several keys; each as a whole, unless this dict is inherited."""
        if self._tk_inherited:
            super().update(*args, **kwargs)
            return
        caller = origin_of_caller()
        for source in (*args, kwargs):
            for key, value in dict(source).items():
                dict.__setitem__(self, key, value)
                origins_of(self).set(key, caller)


def is_inherited(node: Any) -> bool:
    """Tell whether a dict comes from a base, so that ``update`` merges into it."""
    return isinstance(node, Node) and not (isinstance(node, DraftDict) and not node._tk_inherited)


def written_node(
    value: dict[Any, Any], origins: OriginTable, spread: Iterable[Any] = ()
) -> DraftDict:
    """Make the node of a dict that a file writes out.

    Args:
        value: what was written.
        origins: where; becomes the node's own.
        spread: dicts that were unpacked into it, whose keys keep their origins.
    """
    node = DraftDict.__new__(DraftDict)
    dict.update(node, dict.items(value))
    set_state(node, "_tk_origins", origins)
    for other in spread:
        if isinstance(other, dict):
            for key in dict.keys(other):
                if not origins.writes(key) and (origin := origin_of(other, key)):
                    origins.set(key, origin)
    return node


def inherited_copy(value: Any) -> Any:
    """Copy a tree for a file that inherits it and may change it: nothing is shared."""
    kind = value.__class__
    if kind in ATOMS:
        return value
    if kind is list or kind is FrozenList:
        return [inherited_copy(item) for item in value]
    if kind is tuple:
        return tuple([inherited_copy(item) for item in value])
    if kind is dict or kind is OrderedDict or isinstance(value, Node):
        node = DraftDict.__new__(DraftDict)
        for key, item in dict.items(value):
            dict.__setitem__(node, key, item if item.__class__ in ATOMS else inherited_copy(item))
        copy_origins(value, node)
        set_state(node, "_tk_inherited", True)
        return node
    return value
