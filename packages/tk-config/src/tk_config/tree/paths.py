"""Dotted paths into a tree: ``"a.b.0.c"``.

A key that itself holds a dot wins over the split; digits are positions in lists and
tuples, and also find integer keys of dicts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import MissingKeyError
from .node import Node
from .origin import Origin, make_origin
from .suggestions import suggestion


def steps_of(path: str, root: Any) -> list[Any]:
    """Split a dotted path into the keys and positions it means inside ``root``.

    Raises:
        MissingKeyError: a step does not exist; names it, and the nearest key.
    """
    steps: list[Any] = []
    node, rest = root, path
    while rest:
        if isinstance(node, dict):
            key, rest = first_key(node, rest)
            if key not in node:
                raise MissingKeyError(_no_key(path, steps, key, node))
            node = dict.__getitem__(node, key)
        elif isinstance(node, (list, tuple)):
            word, _, rest = rest.partition(".")
            key = position(word, node, path)
            node = node[key]
        else:
            raise MissingKeyError(
                f"{path!r} goes below {'.'.join(map(str, steps))!r}, which is the value {node!r}; "
                "end the path there"
            )
        steps.append(key)
    return steps


def first_key(node: dict[Any, Any], rest: str) -> tuple[Any, str]:
    """Take the key of ``node`` that ``rest`` begins with, and what remains."""
    if rest in node:
        return rest, ""
    word, _, remaining = rest.partition(".")
    if word not in node and word.lstrip("-").isdigit() and int(word) in node:
        return int(word), remaining
    return word, remaining


def position(word: str, items: Sequence[Any], path: str) -> int:
    """Read a position in a list; negative ones count from the end.

    Raises:
        MissingKeyError: it is no number, or past either end.
    """
    try:
        index = int(word)
    except ValueError:
        raise MissingKeyError(
            f"{word!r} in {path!r} addresses a list of {len(items)} items; use a position "
            f"from 0 to {len(items) - 1}"
        ) from None
    if not -len(items) <= index < len(items):
        raise MissingKeyError(
            f"position {index} in {path!r} is outside the list of {len(items)} items; use "
            f"{-len(items)} to {len(items) - 1}, or '+' to append"
        )
    return index


def value_at(root: Any, path: str) -> Any:
    """Give the raw value at a dotted path; the empty path is ``root`` itself."""
    for step in steps_of(path, root):
        root = dict.__getitem__(root, step) if isinstance(root, dict) else root[step]
    return root


def origin_at(root: Node, path: str) -> Origin | None:
    """Tell where the value at ``path`` was set; see :meth:`ConfigDict.origin`."""
    value: Any = root
    table = root._tk_origins
    origin = table.of_node() if table else None
    trail: tuple[Any, ...] = ()
    for step in steps_of(path, root):
        if isinstance(value, dict):
            if isinstance(value, Node):
                table, trail = value._tk_origins, (step,)
                origin = (table.of(step) if table else None) or origin
            value = dict.__getitem__(value, step)
            continue
        step %= len(value)
        trail = (*trail, step)
        set_alone = table.of_item(trail) if table else None
        origin = set_alone or _item_origin(origin, step, value)
        value = value[step]
        if isinstance(value, Node) and set_alone is None and value._tk_origins is not None:
            origin = value._tk_origins.of_node() or origin
    return origin


def _item_origin(whole: Origin | None, index: int, items: Sequence[Any]) -> Origin | None:
    if whole is None or whole.items is None or len(whole.items) != len(items):
        return whole  # the list was changed since: its own line is still true
    lines = whole.items[index]
    line, inner = lines if isinstance(lines, tuple) else (lines, None)
    return make_origin(whole.kind, whole.name, line, inner, whole.previous)


def _no_key(path: str, steps: list[Any], key: Any, node: dict[Any, Any]) -> str:
    where = f"{'.'.join(map(str, steps))!r} has" if steps else "the config has"
    return f"{where} no key {key!r} (asked for {path!r}); {suggestion(key, node)}"
