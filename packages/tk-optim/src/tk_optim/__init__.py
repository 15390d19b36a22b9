"""Optimizer wrappers, parameter-wise options and parameter schedules.

The names are loaded on use, because what holds them imports torch.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from .errors import (
    InvalidSettingError,
    InvalidTypeError,
    MissingExtraError,
    OptimError,
    UnknownKeyError,
    UnsupportedCallError,
)

if TYPE_CHECKING:
    from .amp import autocast
    from .draw import draw_schedule, plot_schedule, sample_schedule, sparkline
    from .optimizer import (
        OPTIM_WRAPPER_CONSTRUCTORS,
        OPTIM_WRAPPERS,
        OPTIMIZERS,
        TORCH_OPTIMIZERS,
        AmpOptimWrapper,
        AnyOptimWrapper,
        BaseOptimWrapper,
        DefaultOptimWrapperConstructor,
        Freezing,
        OptimWrapper,
        OptimWrapperDict,
        ZeroRedundancyOptimizer,
        build_optim_wrapper,
        param_table,
    )
    from .scheduler import (
        ConstantLR,
        ConstantMomentum,
        ConstantParamScheduler,
        CosineAnnealingLR,
        CosineAnnealingMomentum,
        CosineAnnealingParamScheduler,
        CosineRestartLR,
        CosineRestartMomentum,
        CosineRestartParamScheduler,
        ExponentialLR,
        ExponentialMomentum,
        ExponentialParamScheduler,
        LinearLR,
        LinearMomentum,
        LinearParamScheduler,
        LRSchedulerMixin,
        MomentumSchedulerMixin,
        MultiStepLR,
        MultiStepMomentum,
        MultiStepParamScheduler,
        OneCycleLR,
        OneCycleParamScheduler,
        PolyLR,
        PolyMomentum,
        PolyParamScheduler,
        Progress,
        ReduceOnPlateauLR,
        ReduceOnPlateauMomentum,
        ReduceOnPlateauParamScheduler,
        StepLR,
        StepMomentum,
        StepParamScheduler,
        WarmupStableDecayLR,
        WarmupStableDecayMomentum,
        WarmupStableDecayParamScheduler,
        _ParamScheduler,
        restore_schedules,
    )

    __version__: str

__all__ = [
    "AmpOptimWrapper",
    "AnyOptimWrapper",
    "BaseOptimWrapper",
    "ConstantLR",
    "ConstantMomentum",
    "ConstantParamScheduler",
    "CosineAnnealingLR",
    "CosineAnnealingMomentum",
    "CosineAnnealingParamScheduler",
    "CosineRestartLR",
    "CosineRestartMomentum",
    "CosineRestartParamScheduler",
    "DefaultOptimWrapperConstructor",
    "ExponentialLR",
    "ExponentialMomentum",
    "ExponentialParamScheduler",
    "Freezing",
    "InvalidSettingError",
    "InvalidTypeError",
    "LRSchedulerMixin",
    "LinearLR",
    "LinearMomentum",
    "LinearParamScheduler",
    "MissingExtraError",
    "MomentumSchedulerMixin",
    "MultiStepLR",
    "MultiStepMomentum",
    "MultiStepParamScheduler",
    "OPTIMIZERS",
    "OPTIM_WRAPPERS",
    "OPTIM_WRAPPER_CONSTRUCTORS",
    "OneCycleLR",
    "OneCycleParamScheduler",
    "OptimError",
    "OptimWrapper",
    "OptimWrapperDict",
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
    "TORCH_OPTIMIZERS",
    "UnknownKeyError",
    "UnsupportedCallError",
    "WarmupStableDecayLR",
    "WarmupStableDecayMomentum",
    "WarmupStableDecayParamScheduler",
    "ZeroRedundancyOptimizer",
    "_ParamScheduler",
    "autocast",
    "build_optim_wrapper",
    "draw_schedule",
    "param_table",
    "plot_schedule",
    "restore_schedules",
    "sample_schedule",
    "sparkline",
]

_MODULE_OF = {
    "AmpOptimWrapper": "optimizer",
    "AnyOptimWrapper": "optimizer",
    "BaseOptimWrapper": "optimizer",
    "ConstantLR": "scheduler",
    "ConstantMomentum": "scheduler",
    "ConstantParamScheduler": "scheduler",
    "CosineAnnealingLR": "scheduler",
    "CosineAnnealingMomentum": "scheduler",
    "CosineAnnealingParamScheduler": "scheduler",
    "CosineRestartLR": "scheduler",
    "CosineRestartMomentum": "scheduler",
    "CosineRestartParamScheduler": "scheduler",
    "DefaultOptimWrapperConstructor": "optimizer",
    "ExponentialLR": "scheduler",
    "ExponentialMomentum": "scheduler",
    "ExponentialParamScheduler": "scheduler",
    "Freezing": "optimizer",
    "LRSchedulerMixin": "scheduler",
    "LinearLR": "scheduler",
    "LinearMomentum": "scheduler",
    "LinearParamScheduler": "scheduler",
    "MomentumSchedulerMixin": "scheduler",
    "MultiStepLR": "scheduler",
    "MultiStepMomentum": "scheduler",
    "MultiStepParamScheduler": "scheduler",
    "OPTIMIZERS": "optimizer",
    "OPTIM_WRAPPERS": "optimizer",
    "OPTIM_WRAPPER_CONSTRUCTORS": "optimizer",
    "OneCycleLR": "scheduler",
    "OneCycleParamScheduler": "scheduler",
    "OptimWrapper": "optimizer",
    "OptimWrapperDict": "optimizer",
    "PolyLR": "scheduler",
    "PolyMomentum": "scheduler",
    "PolyParamScheduler": "scheduler",
    "Progress": "scheduler",
    "ReduceOnPlateauLR": "scheduler",
    "ReduceOnPlateauMomentum": "scheduler",
    "ReduceOnPlateauParamScheduler": "scheduler",
    "StepLR": "scheduler",
    "StepMomentum": "scheduler",
    "StepParamScheduler": "scheduler",
    "TORCH_OPTIMIZERS": "optimizer",
    "WarmupStableDecayLR": "scheduler",
    "WarmupStableDecayMomentum": "scheduler",
    "WarmupStableDecayParamScheduler": "scheduler",
    "ZeroRedundancyOptimizer": "optimizer",
    "_ParamScheduler": "scheduler",
    "autocast": "amp",
    "build_optim_wrapper": "optimizer",
    "draw_schedule": "draw",
    "param_table": "optimizer",
    "plot_schedule": "draw",
    "restore_schedules": "scheduler",
    "sample_schedule": "draw",
    "sparkline": "draw",
}

if not TYPE_CHECKING:  # a type checker that saw it would take any name for public

    def __getattr__(name: str) -> object:
        if name in _MODULE_OF:
            value = getattr(import_module(f".{_MODULE_OF[name]}", __name__), name)
            globals()[name] = value  # the next look-up does not come here
            return value
        if name == "__version__":
            from importlib.metadata import version  # slow, and seldom asked

            return version("tk-optim")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
