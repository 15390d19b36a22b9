"""The hint that an unknown name gets: the nearest known one, or all of them."""

from __future__ import annotations

import difflib
from collections.abc import Collection


def nearest(name: str, known: Collection[str]) -> str:
    """``"did you mean 'x'?"`` where something known is near, else the list of what is known."""
    close = difflib.get_close_matches(name, known, n=1)
    if close:
        return f"did you mean {close[0]!r}?"
    return f"known: {', '.join(sorted(known)) or '(nothing)'}"
