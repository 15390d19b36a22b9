"""Importing this registers what ``tk_runner.data`` offers by name."""

from . import collate, sampler, wrappers

__all__ = ["collate", "sampler", "wrappers"]
