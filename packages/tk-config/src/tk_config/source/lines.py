"""Where the values of a data file stand, and why a text is not read at all."""

from __future__ import annotations

from typing import Any, NamedTuple


class Lines(NamedTuple):
    """The line of a value, and of what it holds: by key as text, or by position."""

    line: int
    inner: dict[str, Any] | list[Any] | None = None
    weight: int = 1
    """Number of values, shared ones counted each time."""


class RefusedTextError(Exception):
    """A text that is not read: it repeats a key, or would cost far more than its length.

    Args:
        line: where.
        reason: what is wrong and what to do about it.
    """

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line = line
