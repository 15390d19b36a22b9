"""What scalars of a run are called."""

from __future__ import annotations


def scalar_key(mode: str, name: str) -> str:
    """The key under which a hub keeps a scalar of a mode: ``train/loss``."""
    return f"{mode}/{name}"
