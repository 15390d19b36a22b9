"""Importing this module registers the evaluator and the ready metrics by name.

It is what the package announces under the entry-point group ``tk.registry``, so a
name that is not found yet brings it in by itself.
"""

from .evaluator import Evaluator
from .metrics import ready

__all__ = ["Evaluator", "ready"]

ready.register()
