"""Where scalars, configs and images of a run are recorded."""

from typing import TYPE_CHECKING

from ..lazy_names import lazy_names

if TYPE_CHECKING:
    from .backends.backend import BaseVisBackend as BaseVisBackend
    from .backends.local import LocalVisBackend as LocalVisBackend
    from .backends.tensorboard import TensorboardVisBackend as TensorboardVisBackend
    from .drawing import ImageDrawing as ImageDrawing
    from .feature_maps import draw_featmap as draw_featmap
    from .samples import draw_sample as draw_sample
    from .visualizer import Visualizer as Visualizer

_MODULE_OF = {
    "BaseVisBackend": "backends.backend",
    "ImageDrawing": "drawing",
    "LocalVisBackend": "backends.local",
    "TensorboardVisBackend": "backends.tensorboard",
    "Visualizer": "visualizer",
    "draw_featmap": "feature_maps",
    "draw_sample": "samples",
}

__all__ = sorted(_MODULE_OF)

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(__name__, _MODULE_OF)
