"""Importing this registers the loops by name."""

from . import epoch, iteration, testing, validation

__all__ = ["epoch", "iteration", "testing", "validation"]
