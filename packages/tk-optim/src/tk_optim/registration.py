"""Importing this module puts every optimizer, wrapper and schedule into the registries.

It is what the package announces under the entry-point group ``tk.registry``, so
a name that is not found yet brings it in by itself.
"""

from tk_registry import OPTIM_WRAPPERS

from . import optimizer, scheduler

__all__ = ["optimizer", "scheduler"]

OPTIM_WRAPPERS.advise(
    "ApexOptimWrapper", "use AmpOptimWrapper, torch's own mixed precision, which replaced apex"
)
