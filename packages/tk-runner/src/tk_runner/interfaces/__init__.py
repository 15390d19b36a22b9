"""What the parts of a run may know of each other, as types; nothing here does anything."""

from typing import TYPE_CHECKING

from ..lazy_names import lazy_names

if TYPE_CHECKING:
    from .loops import EvaluationLoopLike as EvaluationLoopLike
    from .loops import TrainLoopLike as TrainLoopLike
    from .run import RunLike as RunLike

_MODULE_OF = {
    "EvaluationLoopLike": "loops",
    "RunLike": "run",
    "TrainLoopLike": "loops",
}

__all__ = sorted(_MODULE_OF)

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(__name__, _MODULE_OF)
