"""Where scalars, configs and images of a run are recorded."""

from .backends.backend import BaseVisBackend
from .backends.local import LocalVisBackend
from .backends.tensorboard import TensorboardVisBackend
from .visualizer import Visualizer

__all__ = ["BaseVisBackend", "LocalVisBackend", "TensorboardVisBackend", "Visualizer"]
