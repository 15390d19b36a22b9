"""The errors of tk_optim: one base, and each is also the built-in that callers catch."""

from __future__ import annotations


class OptimError(Exception):
    """Base of every error that tk_optim raises on purpose."""
