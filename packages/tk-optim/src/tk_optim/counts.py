"""What is a count: an integer that is large enough, and no boolean."""

from __future__ import annotations


def is_count(value: object, least: int) -> bool:
    """Whether ``value`` is an integer of ``least`` or more."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= least
