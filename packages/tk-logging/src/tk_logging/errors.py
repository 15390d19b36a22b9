"""The errors of tk_logging: one base, and each is also the built-in that callers catch."""

from __future__ import annotations


class LoggingError(Exception):
    """Base of every error that tk_logging raises on purpose."""
