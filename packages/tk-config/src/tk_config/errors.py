"""The errors of tk_config: one base, and each is also the built-in that callers catch."""

from __future__ import annotations


class ConfigError(Exception):
    """Base of every error that tk_config raises on purpose."""
