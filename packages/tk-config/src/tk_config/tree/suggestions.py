"""Which known name was probably meant.

Two questions are answered: the best suggestion for an error that is raised anyway
(:func:`suggestion`), and whether a name is one typing mistake away from a known one
(:func:`one_edit_away`), which is asked of every new key and must rarely be wrong.
Very long names, and all but the first of very many, are left out: both may come from
a file that is not trusted.
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import islice
from typing import Any

_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789-"
_SHORTEST = 3  # a shorter name is one edit away from nearly everything
_LONGEST = 60
_PAIRWISE_UP_TO = 100
_MOST_COMPARED = 2000
_MOST_LISTED = 20


def suggestion(name: Any, known: Collection[Any], otherwise: str) -> str:
    """Say how to correct an unknown name: the nearest known one, or the advice ``otherwise``."""
    close = _nearest(name, known) if isinstance(name, str) else None
    return f"did you mean {close!r}?" if close else otherwise


def suggestion_or_known(name: Any, known: Collection[Any]) -> str:
    """Say how to correct an unknown name: the nearest known one, or what is known."""
    return suggestion(name, known, f"known: {listing(known)}")


def listing(names: Collection[Any]) -> str:
    """List names in one line, the first ones of many, each of them shortened."""
    shown = [_shortened(str(name)) for name in islice(names, _MOST_LISTED)]
    if len(names) > _MOST_LISTED:
        shown.append(f"and {len(names) - _MOST_LISTED} more")
    return ", ".join(shown) or "(none)"


def _nearest(name: str, known: Collection[Any]) -> str | None:
    import difflib  # slow to import, and needed only on the way to an error

    if len(name) > _LONGEST:
        return None
    candidates = [
        key
        for key in islice(known, _MOST_COMPARED)
        if isinstance(key, str) and len(key) <= _LONGEST and key != name
    ]
    close = difflib.get_close_matches(name, candidates, n=1)
    return close[0] if close else None


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def one_edit_away(name: Any, known: Collection[Any]) -> str | None:
    """Give the known name that differs from ``name`` by one typing mistake, or None.

    A mistake is a letter too many, missing, wrong, or two swapped. Names that
    differ only in digits (``conv1``, ``conv2``) are taken as meant. The cost does not
    depend on how many names are known when ``known`` is a mapping or set.
    """
    if not isinstance(name, str) or not _SHORTEST <= len(name) <= _LONGEST:
        return None
    if len(known) <= _PAIRWISE_UP_TO:
        size = len(name)
        for other in known:
            if isinstance(other, str) and -2 < len(other) - size < 2 and _is_one_edit(name, other):
                return other
        return None
    for other in _edits(name):
        if other in known and _is_one_edit(name, other):
            return other
    return None


def _is_one_edit(name: str, other: str) -> bool:
    if len(other) < _SHORTEST or name == other:
        return False
    start = 0
    shorter = min(len(name), len(other))
    while start < shorter and name[start] == other[start]:
        start += 1
    end = 0
    while end < shorter - start and name[-1 - end] == other[-1 - end]:
        end += 1
    left, right = name[start : len(name) - end], other[start : len(other) - end]
    if (left + right).isdigit() or _differ_by_a_counter(name, other):
        return False
    return (len(left) <= 1 and len(right) <= 1) or (len(left) == 2 and left == right[::-1])


def _differ_by_a_counter(name: str, other: str) -> bool:
    return name.rstrip("0123456789") == other.rstrip("0123456789")


def _edits(name: str) -> set[str]:
    cuts = [(name[:i], name[i:]) for i in range(len(name) + 1)]
    edits = {a + b[1:] for a, b in cuts if b}
    edits |= {a + b[1] + b[0] + b[2:] for a, b in cuts if len(b) > 1}
    edits |= {a + letter + b[1:] for a, b in cuts if b for letter in _LETTERS}
    edits |= {a + letter + b for a, b in cuts for letter in _LETTERS}
    edits.discard(name)
    return edits
