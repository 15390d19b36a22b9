"""Importing this module puts every optimizer, wrapper and schedule into the registries.

It is what the package announces under the entry-point group ``tk.registry``, so
a name that is not found yet brings it in by itself.
"""

from . import optimizer, scheduler

__all__ = ["optimizer", "scheduler"]
