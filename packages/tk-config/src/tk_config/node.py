"""What every node of a tree has: its keys, and the origins of its keys.

Origins lie in two tables: one that is shared by all nodes made at the same place and
never changed, and one of the node's own, which wins. So making or copying a node costs
nothing per key.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

from .errors import FrozenConfigError
from .origin import Origin, after

WHOLE_NODE = "\0node"  # in a table of origins: where the node itself was written
ATOMS = frozenset({str, int, float, bool, type(None), bytes, complex})
DELETE = "_delete_"

set_state = object.__setattr__


class Node(dict):  # type: ignore[type-arg]  # keys and values are what the user wrote
    """A dict that knows where its keys were set; see ``ConfigDict`` for the public face."""

    _tk_shared: Mapping[Any, Origin] | None = None
    _tk_own: dict[Any, Origin] | None = None
    _tk_frozen = False

    def _enter(self, value: Any) -> Any:
        """Make a value that is no plain atom this node's own."""
        return value

    def _node_from(self, value: dict[Any, Any]) -> Node:
        """Make a node of this node's kind from any dict."""
        raise NotImplementedError

    def _mark(self, key: Any, origin: Origin) -> None:
        """Record that ``key`` was set by ``origin``, keeping what it replaced."""
        own = self._tk_own
        if own is None:
            own = {}
            set_state(self, "_tk_own", own)
        shared = self._tk_shared
        older = own.get(key) or (shared.get(key) if shared else None)
        own[key] = origin if older is None else after(origin, older)

    def _refuse(self) -> NoReturn:
        raise FrozenConfigError(
            "this config is frozen and cannot be changed; change a copy.deepcopy() of it instead"
        )


def origin_in(node: Any, key: Any) -> Origin | None:
    """Tell where ``node`` says that ``key`` was set, if it is a node and knows."""
    if not isinstance(node, Node):
        return None
    own, shared = node._tk_own, node._tk_shared
    found = own.get(key) if own else None
    if found is None and shared:
        found = shared.get(key) or shared.get(WHOLE_NODE)
    return found


def copy_origins(source: Node, target: Node) -> None:
    """Give a copy of a node what the node knows."""
    if source._tk_shared is not None:
        set_state(target, "_tk_shared", source._tk_shared)
    if source._tk_own is not None:
        set_state(target, "_tk_own", dict(source._tk_own))
