"""The errors of tk_registry: one base, and each is also the built-in that callers catch."""

from __future__ import annotations


class RegistryError(Exception):
    """Base of every error that tk_registry raises on purpose."""
