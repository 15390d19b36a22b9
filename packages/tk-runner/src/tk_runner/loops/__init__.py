"""The loops of a run: training by epoch and by iteration, validation, test."""

from typing import TYPE_CHECKING

from ..lazy_names import lazy_names

if TYPE_CHECKING:
    from .epoch import EpochBasedTrainLoop as EpochBasedTrainLoop
    from .intervals import calc_dynamic_intervals as calc_dynamic_intervals
    from .iteration import IterBasedTrainLoop as IterBasedTrainLoop
    from .loop import BaseLoop as BaseLoop
    from .testing import TestLoop as TestLoop
    from .validation import ValLoop as ValLoop

_MODULE_OF = {
    "BaseLoop": "loop",
    "EpochBasedTrainLoop": "epoch",
    "IterBasedTrainLoop": "iteration",
    "TestLoop": "testing",
    "ValLoop": "validation",
    "calc_dynamic_intervals": "intervals",
}

__all__ = sorted(_MODULE_OF)

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(__name__, _MODULE_OF)
