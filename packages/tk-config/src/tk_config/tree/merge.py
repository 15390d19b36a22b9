"""Merging of nested configs.

The right side wins, key by key; lists are replaced, never joined. A dict on the right
that holds ``_delete_=True`` replaces the left side instead of merging into it. Nothing
here knows about files or Python source. Origins travel with their values: a key that
is replaced keeps what it replaced as history.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from ..errors import MergeError
from .node import ATOMS, DELETE, Node, copy_origins, origin_of, origins_of
from .origin import Origin

OnNewKey = Callable[[tuple[Any, ...], Any, Node, Mapping[Any, Any]], None]
"""Called with the path of a node, a key new to it, the node, and all that comes over it."""

NodeT = TypeVar("NodeT", bound=Node)


def merge_into(
    node: Node,
    other: Mapping[Any, Any],
    origin: Origin | None = None,
    *,
    dict_over_value: bool = False,
    path: tuple[Any, ...] = (),
    on_new_key: OnNewKey | None = None,
) -> None:
    """Merge ``other`` into ``node`` in place; the cost depends on ``other`` alone.

    Args:
        node: what is changed.
        other: what wins.
        origin: who set the values of which ``other`` itself does not know the origin.
        dict_over_value: whether a dict may replace a plain value.
        path: where ``node`` lies, for errors.
        on_new_key: told of each key that ``node`` did not have.

    Raises:
        MergeError: a dict meets a plain value; the text names the key.
        FrozenConfigError: the node, or one that would change below it, is frozen.
    """
    if node._tk_frozen:
        node._refuse()
    for key, value in dict.items(other) if isinstance(other, dict) else other.items():
        if key == DELETE:
            continue
        set_by = origin_of(other, key) or origin
        if key not in node:
            if on_new_key is not None:
                on_new_key(path, key, node, other)
        elif isinstance(value, dict) and not value.get(DELETE, False):
            old = _as_node(node, dict.__getitem__(node, key))
            if isinstance(old, Node):
                dict.__setitem__(node, key, old)
                merge_into(
                    old,
                    value,
                    origin,
                    dict_over_value=dict_over_value,
                    path=(*path, key),
                    on_new_key=on_new_key,
                )
                _record(node, key, set_by)
                continue
            if not dict_over_value:
                raise dict_over_plain((*path, key), old, set_by, origin_of(node, key))
        if value.__class__ not in ATOMS:
            value = node._adopt(value)
            if isinstance(value, Node):
                _drop_delete_markers(value)
        dict.__setitem__(node, key, value)
        _record(node, key, set_by)


def merged(
    base: NodeT,
    child: Mapping[Any, Any],
    path: tuple[Any, ...] = (),
    on_new_key: OnNewKey | None = None,
) -> NodeT:
    """Give ``child`` merged over ``base``; neither is changed, untouched parts are shared."""
    result = base.__class__.__new__(base.__class__)
    dict.update(result, dict.items(base))
    copy_origins(base, result)
    for key, value in dict.items(child):  # type: ignore[arg-type,var-annotated]  # a dict
        if key == DELETE:
            continue
        origin = origin_of(child, key)
        is_node = isinstance(value, dict)
        if key not in base:
            if on_new_key is not None:
                on_new_key(path, key, base, child)
        elif is_node and not value.get(DELETE, False):
            old = _as_node(base, dict.__getitem__(base, key))
            if not isinstance(old, Node):
                raise dict_over_plain((*path, key), old, origin, origin_of(base, key))
            value = merged(old, value, (*path, key), on_new_key)
            is_node = False  # its markers are gone
        if is_node and _has_delete_marker(value):
            value = base._node_from(value)
            _drop_delete_markers(value)
        dict.__setitem__(result, key, value)
        _record(result, key, origin)
    return result


def dict_over_plain(
    path: tuple[Any, ...], old: Any, new_at: Origin | None, old_at: Origin | None
) -> MergeError:
    """Build the error for a dict that meets a plain value."""
    dotted = ".".join(map(str, path))
    new_place = f" ({new_at})" if new_at else ""
    old_place = f" (set at {old_at})" if old_at else ""
    return MergeError(
        f"{dotted}: a dict{new_place} cannot be merged into {old!r}{old_place}; "
        f"give a plain value, or put _delete_=True into the dict to replace the old value"
    )


def _as_node(near: Node, value: Any) -> Any:
    """Make a dict of any kind a node, so that it can be merged into."""
    return (
        near._node_from(value) if isinstance(value, dict) and not isinstance(value, Node) else value
    )


def _has_delete_marker(value: Any) -> bool:
    return isinstance(value, dict) and (
        DELETE in value or any(_has_delete_marker(item) for item in dict.values(value))
    )


def _drop_delete_markers(node: Node) -> None:
    dict.pop(node, DELETE, None)
    for value in dict.values(node):
        if isinstance(value, Node):
            _drop_delete_markers(value)


def _record(node: Node, key: Any, origin: Origin | None) -> None:
    if origin is not None:
        origins_of(node).set(key, origin)
