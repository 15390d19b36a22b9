"""Which parameters a pattern of module names means.

A pattern is a run of path segments: ``head`` means ``head.weight`` and
``decode.head.bias``, but not ``aux_head.weight``. A segment may hold ``*`` and
``?``: ``blocks.*.norm*``. With ``match='substring'`` a pattern means every
path that contains its text, as in MMEngine.
"""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Literal

Match = Literal["segments", "substring"]


def find_run(pattern: str, path: str) -> tuple[str, ...] | None:
    """The segments of ``path`` that ``pattern`` means; None when it means none."""
    wanted, given = pattern.strip(".").split("."), path.split(".")
    for first in range(len(given) - len(wanted) + 1):
        run = tuple(given[first : first + len(wanted)])
        if all(fnmatchcase(segment, one) for segment, one in zip(run, wanted, strict=True)):
            return run
    return None


def means(pattern: str, path: str, match: Match = "segments") -> bool:
    """Whether ``pattern`` means the parameter at ``path``."""
    if match == "substring":
        return pattern in path
    return find_run(pattern, path) is not None


def unmatched(patterns: Sequence[str], paths: Sequence[str], match: Match) -> list[str]:
    """One sentence about each pattern that means no parameter."""
    found = []
    for pattern in patterns:
        if any(means(pattern, path, match) for path in paths):
            continue
        text = f"{pattern!r} matches no parameter"
        if inside := [path for path in paths if pattern in path]:
            text += (
                f", though it is a part of {len(inside)} names such as {inside[0]!r}: names are "
                "matched by whole segments; use '*' as in 'norm*', or match='substring'"
            )
        found.append(text)
    return found
