"""The loops of a run: training by epoch and by iteration, validation, test."""

from .epoch import EpochBasedTrainLoop
from .intervals import calc_dynamic_intervals
from .iteration import IterBasedTrainLoop
from .loop import BaseLoop
from .testing import TestLoop
from .validation import ValLoop

__all__ = [
    "BaseLoop",
    "EpochBasedTrainLoop",
    "IterBasedTrainLoop",
    "TestLoop",
    "ValLoop",
    "calc_dynamic_intervals",
]
