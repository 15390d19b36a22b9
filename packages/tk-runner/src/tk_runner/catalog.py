"""Importing this registers everything that tk-runner offers by name.

The registry asks for it at the first name that it does not know.
"""

from . import hooks, log_processor, loops, model, strategy, structures, terminal, visualization
from .data import catalog as data_catalog

__all__ = [
    "data_catalog",
    "hooks",
    "log_processor",
    "loops",
    "model",
    "strategy",
    "structures",
    "terminal",
    "visualization",
]
