"""The errors of tk_dist: one base, and each is also the built-in that callers catch."""

from __future__ import annotations


class DistError(Exception):
    """Base of every error that tk_dist raises on purpose."""
