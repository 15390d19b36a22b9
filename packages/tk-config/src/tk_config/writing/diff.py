"""Two configs side by side: as text, and as a list of structural changes."""

from __future__ import annotations

import difflib
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

_RED, _GREEN, _CYAN, _PLAIN = "\x1b[31m", "\x1b[32m", "\x1b[36m", "\x1b[0m"


@dataclass(frozen=True)
class Change:
    """One difference between two configs.

    Attributes:
        kind: ``"added"``, ``"removed"``, ``"changed"`` or ``"moved"``.
        path: dotted path; in the new config, except for what was removed.
        old: value in the old config.
        new: value in the new one.
        old_path: for what moved, where it was.
    """

    kind: str
    path: str
    old: Any = None
    new: Any = None
    old_path: str | None = None


def changes(old: Mapping[Any, Any], new: Mapping[Any, Any]) -> list[Change]:
    """List the differences of two trees, in the order of their paths.

    A value that disappears from one path and appears at another, unchanged, has moved;
    values too small to tell apart (numbers, short words) are not taken for moved.
    """
    found = list(_compare(old, new, ""))
    removed = [change for change in found if change.kind == "removed" and _is_telling(change.old)]
    made: list[Change] = []
    gone: set[str] = set()
    for change in found:
        if change.kind == "added" and _is_telling(change.new):
            source = next(
                (r for r in removed if r.path not in gone and same(r.old, change.new)), None
            )
            if source is not None:
                gone.add(source.path)
                made.append(Change("moved", change.path, change.new, change.new, source.path))
                continue
        made.append(change)
    made = [change for change in made if not (change.kind == "removed" and change.path in gone)]
    return sorted(made, key=lambda change: change.path)


def same(first: Any, second: Any) -> bool:
    """Tell whether two values are equal, nan to nan, of one kind, at any depth."""
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        return first.keys() == second.keys() and all(
            same(_raw(first, key), _raw(second, key)) for key in first
        )
    if isinstance(first, (list, tuple)) and isinstance(second, (list, tuple)):
        return (
            isinstance(first, list) is isinstance(second, list)
            and len(first) == len(second)
            and all(map(same, first, second))
        )
    if isinstance(first, float) and first != first:
        return isinstance(second, float) and second != second
    if isinstance(first, bool) is not isinstance(second, bool):
        return False
    try:
        return bool(first == second)
    except Exception:  # a value that cannot be compared is not the same
        return first is second


def text_diff(old: str, new: str) -> str:
    """Give a unified diff of two texts, coloured where the terminal shows colours."""
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), "old", "new", lineterm="")
    colours = {"+": _GREEN, "-": _RED, "@": _CYAN} if _has_colours() else {}
    return "\n".join(
        f"{colours[line[0]]}{line}{_PLAIN}" if line[:1] in colours else line for line in lines
    )


def _compare(old: Any, new: Any, path: str) -> Iterator[Change]:
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in [*old, *(key for key in new if key not in old)]:
            inner = f"{path}.{key}" if path else str(key)
            if key not in new:
                yield Change("removed", inner, _raw(old, key))
            elif key not in old:
                yield Change("added", inner, None, _raw(new, key))
            else:
                yield from _compare(_raw(old, key), _raw(new, key), inner)
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (one, other) in enumerate(zip(old, new)):  # noqa: B905
            yield from _compare(one, other, f"{path}.{index}")
    elif not same(old, new):
        yield Change("changed", path, old, new)


def _raw(node: Mapping[Any, Any], key: Any) -> Any:
    return dict.__getitem__(node, key) if isinstance(node, dict) else node[key]


def _is_telling(value: Any) -> bool:
    if isinstance(value, (Mapping, list, tuple)):
        return len(value) > 0
    return isinstance(value, str) and len(value) > 3


def _has_colours() -> bool:
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
