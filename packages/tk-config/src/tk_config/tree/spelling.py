"""Keys that are probably misspelt: new, and one typing mistake away from one that exists."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from ..errors import ConfigWarning, MisspeltKeyError
from .node import origin_of

_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789-"
_SHORTEST = 3  # a shorter name is one edit away from nearly everything
_LONGEST = 60  # a longer name is hardly typed by hand
_PAIRWISE_UP_TO = 100
_MOST_CHECKS = 1000  # a file that adds more keys than this hardly misspells them


class SpellingCheck:
    """Is told of each new key while something is merged, and collects the suspicious ones."""

    def __init__(self) -> None:
        self.problems: list[str] = []
        self._checks_left = _MOST_CHECKS

    def __call__(
        self, path: tuple[Any, ...], key: Any, node: Mapping[Any, Any], over: Mapping[Any, Any]
    ) -> None:
        """Look at one key that ``node`` does not have, among all that comes ``over`` it."""
        if not isinstance(key, str) or key.startswith("_") or self._checks_left <= 0:
            return
        self._checks_left -= 1
        near = one_edit_away(key, node)
        if near is None or near in over:
            return
        dotted = ".".join(map(str, (*path, key)))
        origin, known = origin_of(over, key), origin_of(node, near)
        place = f"{origin}: " if origin else ""
        there = f" ({known})" if known else ""
        self.problems.append(
            f"{place}{dotted!r} is new, but the base has {near!r}{there}; did you mean {near!r}?"
        )


def report_misspelt(problems: Iterable[str], *, strict: bool, stacklevel: int) -> None:
    """Warn of each problem.

    Raises:
        MisspeltKeyError: in strict mode, listing all of them.
    """
    problems = list(problems)
    if problems and strict:
        raise MisspeltKeyError("\n".join(problems))
    for text in problems:
        warnings.warn(text, ConfigWarning, stacklevel=stacklevel + 1)


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
