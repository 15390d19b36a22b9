"""Copies of trees: deep ones of the same kind, and plain ones of builtin containers."""

from __future__ import annotations

import copy
from typing import Any

from .frozen import FrozenList
from .node import ATOMS, Node, copy_origins
from .placeholders import LAZY_TYPES

_put = dict.__setitem__


def deep_copy(value: Any, memo: dict[int, Any]) -> Any:
    """Copy every container of a tree; nodes keep their kind and origins, and are not frozen."""
    kind = value.__class__
    if kind in ATOMS:
        return value
    if kind is list or kind is FrozenList:
        return [item if item.__class__ in ATOMS else deep_copy(item, memo) for item in value]
    if kind is tuple:
        return tuple([deep_copy(item, memo) for item in value])
    if isinstance(value, Node):
        node = kind.__new__(kind)
        for key, item in dict.items(value):
            _put(node, key, item if item.__class__ in ATOMS else deep_copy(item, memo))
        copy_origins(value, node)
        return node
    return copy.deepcopy(value, memo)


def plain_copy(value: Any, *, names: bool) -> Any:
    """Copy a tree into plain dicts, lists and tuples.

    Args:
        value: any value of a tree.
        names: whether lazy values become their dotted names, instead of staying lazy.
    """
    kind = value.__class__
    if kind in ATOMS:
        return value
    if isinstance(value, Node):
        return {key: plain_copy(item, names=names) for key, item in dict.items(value)}
    if kind is list or kind is FrozenList:
        return [plain_copy(item, names=names) for item in value]
    if kind is tuple:
        return tuple([plain_copy(item, names=names) for item in value])
    if names and kind in LAZY_TYPES:
        return value.dotted_name
    return value
