"""The order in which a tree of registries is searched; nothing here changes a tree.

An unscoped name climbs to the root, nearest first. ``scope.Name`` stays where the
scope is the node's own, goes down where it is a child's, and otherwise through the
root to one of its children.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from .places import full_name
from .scope import canonical
from .tree import Node

_Tree = TypeVar("_Tree", bound=Node[Any])


def split_scope_key(key: str) -> tuple[str | None, str]:
    """``'s.t.A'`` as ``('s', 't.A')``, ``'A'`` as ``(None, 'A')``."""
    scope, dot, rest = key.partition(".")
    return (scope, rest) if dot else (None, key)


def search(start: Node[Any], key: str, *, importing: bool) -> Callable[..., Any] | None:
    """The registered object that ``key`` names seen from ``start``, or ``None``.

    Args:
        start: the registry that was asked.
        key: ``Name`` or ``scope.Name``, with as many scopes as the tree is deep.
        importing: import the locations of the nodes on the way.
    """
    scope, rest = split_scope_key(key)
    if scope is None:
        return _climb(start, key, importing)
    scope = canonical(scope)
    if importing and start.pending:
        start.import_from_location()
    if scope == start.scope:
        below, _ = split_scope_key(rest)
        is_deeper = below is not None and canonical(below) in start.children
        return (
            search(start, rest, importing=importing) if is_deeper else start.module_dict.get(rest)
        )
    child = start.children.get(scope)
    if child is not None:
        return search(child, rest, importing=importing)
    root = start.root
    if start is not root and (scope == root.scope or scope in root.children):
        return search(root, key, importing=importing)
    return None


def _climb(start: Node[Any], name: str, importing: bool) -> Callable[..., Any] | None:
    node: Node[Any] | None = start
    while node is not None:
        found = node.own(name, importing=importing)
        if found is not None:
            return found
        node = node.parent
    return None


def find(start: Node[Any], key: str) -> Callable[..., Any] | None:
    """What ``key`` names by the rules of scopes, or as a registered object's import path.

    Below an alias of a scope only the last part of a path counts: ``mmengine.hooks.EMAHook``
    in an existing config means what that scope now registers as ``EMAHook``.
    """
    found = search(start, key, importing=True)
    top, rest = split_scope_key(key)
    if found is not None or top is None:
        return found
    name = rest.rpartition(".")[2]
    if canonical(top) != top:
        return search(start, f"{top}.{name}", importing=True)
    return _at_import_path(start, key)


def _at_import_path(start: Node[Any], key: str) -> Callable[..., Any] | None:
    """What is registered, for this kind of thing, and has ``key`` as its import path.

    Only modules that are imported already are looked into: registering is what makes
    an object reachable for configs, not the package that it lies in.
    """
    top = split_scope_key(key)[0]
    for node in _nodes_below(start.root):
        for thing in list(node.module_dict.values()):
            if _package_of(thing) == top and (full_name(thing) == key or _walk(key) is thing):
                return thing
    return None


def _nodes_below(node: Node[Any]) -> Iterator[Node[Any]]:
    yield node
    for child in list(node.children.values()):
        yield from _nodes_below(child)


def _package_of(thing: Any) -> str:
    return str(getattr(thing, "__module__", None) or "").partition(".")[0]


def _walk(path: str) -> Any | None:
    """The object at an import path, as far as its modules are imported; else ``None``."""
    top, *rest = path.split(".")
    thing: Any = sys.modules.get(top)
    for part in rest:
        thing = getattr(thing, part, None)
    return thing


def search_scope(node: _Tree, scope: str) -> _Tree | None:
    """The node of that canonical scope at or below ``node``, depth first, or ``None``."""
    if node.scope == scope:
        return node
    if scope in node.children:
        return node.children[scope]
    for child in list(node.children.values()):
        found = search_scope(child, scope)
        if found is not None:
            return found
    return None
