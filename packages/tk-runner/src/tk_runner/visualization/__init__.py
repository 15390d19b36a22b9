"""Where scalars, configs and images of a run are recorded."""

from typing import TYPE_CHECKING

from ..lazy_names import lazy_names

if TYPE_CHECKING:
    from .backends.backend import BaseVisBackend as BaseVisBackend
    from .backends.local import LocalVisBackend as LocalVisBackend
    from .backends.tensorboard import TensorboardVisBackend as TensorboardVisBackend
    from .visualizer import Visualizer as Visualizer

_MODULE_OF = {
    "BaseVisBackend": "backends.backend",
    "LocalVisBackend": "backends.local",
    "TensorboardVisBackend": "backends.tensorboard",
    "Visualizer": "visualizer",
}

__all__ = sorted(_MODULE_OF)

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(__name__, _MODULE_OF)
