"""The errors of tk_runner: one base, and each is also the built-in that callers catch."""

from __future__ import annotations


class RunnerError(Exception):
    """Base of every error that tk_runner raises on purpose."""
