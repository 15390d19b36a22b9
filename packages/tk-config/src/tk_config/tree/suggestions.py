"""What to suggest for a name that does not exist."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def suggestion(name: Any, known: Iterable[Any], otherwise: str | None = None) -> str:
    """Say how to correct an unknown name.

    Args:
        name: what was written.
        known: the names that exist.
        otherwise: what to say where none of them is near; None lists them.
    """
    from tk_fileio import did_you_mean  # 10 ms to import, and only errors need it

    return did_you_mean(name, known, otherwise)
