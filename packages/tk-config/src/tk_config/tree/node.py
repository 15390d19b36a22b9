"""What every node of a tree has: its keys, a table of their origins, whether it is frozen.

A node is an ``addict.Dict``, since code written for MMEngine asks for that; every
behaviour of addict that creates, hides or shares values is replaced here and in
``config_dict.py``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from ..errors import FrozenConfigError
from .origin import Origin
from .origin_table import OriginTable

if TYPE_CHECKING:  # addict brings no types
    Dict = dict[Any, Any]
else:
    from addict import Dict

ATOMS = frozenset({str, int, float, bool, type(None), bytes, complex})
DELETE = "_delete_"

set_state = object.__setattr__
"""Sets an attribute of a node, whose own ``__setattr__`` sets a key."""


class Node(Dict):
    """A dict that knows where its keys were set; see ``ConfigDict`` for the public part."""

    _tk_origins: OriginTable | None = None
    _tk_frozen = False

    def _adopt(self, value: Any) -> Any:
        """Give what this node stores for a value that is put into it."""
        return value

    def _node_from(self, value: dict[Any, Any]) -> Node:
        """Make a node of this node's kind from any dict."""
        raise NotImplementedError

    def _refuse(self) -> NoReturn:
        raise FrozenConfigError(
            "this config is frozen and cannot be changed; change a copy.deepcopy() of it instead"
        )


def origin_of(node: Any, key: Any) -> Origin | None:
    """Tell where ``node`` says that ``key`` was set, if it is a node and knows."""
    if not isinstance(node, Node) or node._tk_origins is None:
        return None
    return node._tk_origins.of(key)


def origins_of(node: Node) -> OriginTable:
    """Give the table of a node in order to change it; it is the node's own from then on."""
    table = node._tk_origins
    if table is None or table.is_shared:
        table = OriginTable() if table is None else table.copy()
        set_state(node, "_tk_origins", table)
    return table


def copy_origins(source: Any, target: Node) -> None:
    """Let a copy of a node know what the node knows."""
    if isinstance(source, Node) and (table := source._tk_origins) is not None:
        table.is_shared = True
        set_state(target, "_tk_origins", table)
