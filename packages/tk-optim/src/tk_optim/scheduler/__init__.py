"""Schedules of learning rate, momentum and any other entry of the parameter groups."""

from .constant import ConstantLR, ConstantMomentum, ConstantParamScheduler
from .cosine import CosineAnnealingLR, CosineAnnealingMomentum, CosineAnnealingParamScheduler
from .cosine_restart import CosineRestartLR, CosineRestartMomentum, CosineRestartParamScheduler
from .exponential import ExponentialLR, ExponentialMomentum, ExponentialParamScheduler
from .linear import LinearLR, LinearMomentum, LinearParamScheduler
from .multi_step import MultiStepLR, MultiStepMomentum, MultiStepParamScheduler
from .one_cycle import OneCycleLR, OneCycleParamScheduler
from .plateau import ReduceOnPlateauLR, ReduceOnPlateauMomentum, ReduceOnPlateauParamScheduler
from .poly import PolyLR, PolyMomentum, PolyParamScheduler
from .restoring import Progress, restore_schedules
from .scheduler import _ParamScheduler
from .step import StepLR, StepMomentum, StepParamScheduler
from .targets import LRSchedulerMixin, MomentumSchedulerMixin
from .warmup_stable_decay import (
    WarmupStableDecayLR,
    WarmupStableDecayMomentum,
    WarmupStableDecayParamScheduler,
)

__all__ = [
    "ConstantLR",
    "ConstantMomentum",
    "ConstantParamScheduler",
    "CosineAnnealingLR",
    "CosineAnnealingMomentum",
    "CosineAnnealingParamScheduler",
    "CosineRestartLR",
    "CosineRestartMomentum",
    "CosineRestartParamScheduler",
    "ExponentialLR",
    "ExponentialMomentum",
    "ExponentialParamScheduler",
    "LRSchedulerMixin",
    "LinearLR",
    "LinearMomentum",
    "LinearParamScheduler",
    "MomentumSchedulerMixin",
    "MultiStepLR",
    "MultiStepMomentum",
    "MultiStepParamScheduler",
    "OneCycleLR",
    "OneCycleParamScheduler",
    "PolyLR",
    "PolyMomentum",
    "PolyParamScheduler",
    "Progress",
    "ReduceOnPlateauLR",
    "ReduceOnPlateauMomentum",
    "ReduceOnPlateauParamScheduler",
    "StepLR",
    "StepMomentum",
    "StepParamScheduler",
    "WarmupStableDecayLR",
    "WarmupStableDecayMomentum",
    "WarmupStableDecayParamScheduler",
    "_ParamScheduler",
    "restore_schedules",
]
