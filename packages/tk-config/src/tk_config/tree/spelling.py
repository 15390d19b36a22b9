"""Keys that are probably misspelt: new, and one typing mistake away from one that exists."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from typing import Any

from ..errors import ConfigWarning, MisspeltKeyError
from .node import origin_of
from .suggestions import one_edit_away

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
