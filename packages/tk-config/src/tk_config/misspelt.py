"""Keys that are probably misspelt: new, and one typing mistake away from one that exists."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

from .errors import ConfigWarning, MisspeltKeyError
from .near_names import one_edit_away
from .node import origin_in


class KeyWatch:
    """Is told of new keys while something is merged, and speaks up at the end.

    Args:
        strict: raise instead of warning.
    """

    def __init__(self, *, strict: bool) -> None:
        self.problems: list[str] = []
        self._strict = strict

    def __call__(
        self, path: tuple[Any, ...], key: Any, node: Mapping[Any, Any], over: Mapping[Any, Any]
    ) -> None:
        """Look at one key that ``node`` does not have, among all that comes ``over`` it."""
        near = None if str(key).startswith("_") else one_edit_away(key, node)
        if near is None or near in over:
            return
        dotted = ".".join(map(str, (*path, key)))
        origin, known = origin_in(over, key), origin_in(node, near)
        place = f"{origin}: " if origin else ""
        there = f" ({known})" if known else ""
        self.problems.append(
            f"{place}{dotted!r} is new, but the base has {near!r}{there}; did you mean {near!r}?"
        )

    def conclude(self, stacklevel: int = 3) -> None:
        """Warn of each problem.

        Raises:
            MisspeltKeyError: in strict mode, listing all of them.
        """
        if self.problems and self._strict:
            raise MisspeltKeyError("\n".join(self.problems))
        for text in self.problems:
            warnings.warn(text, ConfigWarning, stacklevel=stacklevel)
