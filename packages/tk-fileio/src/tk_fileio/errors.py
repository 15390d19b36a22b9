"""The errors of tk_fileio: one base, and each is also the built-in that callers catch."""

from __future__ import annotations


class FileIOError(Exception):
    """Base of every error that tk_fileio raises on purpose."""
