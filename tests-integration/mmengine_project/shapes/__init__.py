"""A small project as it is written for MMEngine: nothing in it knows of other packages."""

from .datasets import DrawnShapes, Flip, PackShape
from .hooks import CountSamplesHook
from .metrics import ShapeAccuracy
from .models import ShapeNet, SmallBackbone

__all__ = [
    "CountSamplesHook", "DrawnShapes", "Flip", "PackShape", "ShapeAccuracy", "ShapeNet",
    "SmallBackbone",
]  # fmt: skip
