"""Models that train by themselves, and what surrounds them."""

from .adapter import PlainModel, as_trainable
from .averaging import (
    BaseAveragedModel,
    ExponentialMovingAverage,
    MomentumAnnealingEMA,
    StochasticWeightAverage,
)
from .base_model import BaseModel
from .convert import convert_sync_batchnorm, revert_sync_batchnorm
from .losses import parse_losses
from .module import BaseModule
from .preprocessor import BaseDataPreprocessor
from .wrappers import MMDistributedDataParallel, is_model_wrapper

__all__ = [
    "BaseAveragedModel",
    "BaseDataPreprocessor",
    "BaseModel",
    "BaseModule",
    "ExponentialMovingAverage",
    "MMDistributedDataParallel",
    "MomentumAnnealingEMA",
    "PlainModel",
    "StochasticWeightAverage",
    "as_trainable",
    "convert_sync_batchnorm",
    "is_model_wrapper",
    "parse_losses",
    "revert_sync_batchnorm",
]
