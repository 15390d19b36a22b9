"""Importing this registers everything that tk-runner offers by name.

The registry asks for it at the first name that it does not know.
"""

from . import log_processor, structures, terminal
from .data import catalog as data_catalog
from .hooks import catalog as hook_catalog
from .loops import catalog as loop_catalog
from .model import catalog as model_catalog
from .strategy import catalog as strategy_catalog
from .visualization import catalog as visualization_catalog

__all__ = [
    "data_catalog",
    "hook_catalog",
    "log_processor",
    "loop_catalog",
    "model_catalog",
    "strategy_catalog",
    "structures",
    "terminal",
    "visualization_catalog",
]
