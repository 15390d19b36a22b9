"""Importing this registers the strategies by name."""

from . import distributed, single_device

__all__ = ["distributed", "single_device"]
