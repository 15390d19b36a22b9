"""Optimizers: their wrappers, options by parameter, and how they are built."""

from typing import TYPE_CHECKING

from tk_registry import OPTIM_WRAPPER_CONSTRUCTORS, OPTIM_WRAPPERS, OPTIMIZERS

from .amp_wrapper import AmpOptimWrapper
from .base import AnyOptimWrapper, BaseOptimWrapper
from .build import build_optim_wrapper
from .constructor import DefaultOptimWrapperConstructor
from .freezing import Freezing
from .table import param_table
from .torch_optimizers import TORCH_OPTIMIZERS
from .wrapper import OptimWrapper
from .wrapper_dict import OptimWrapperDict

if TYPE_CHECKING:
    from .zero import ZeroRedundancyOptimizer

__all__ = [
    "AmpOptimWrapper",
    "AnyOptimWrapper",
    "BaseOptimWrapper",
    "DefaultOptimWrapperConstructor",
    "Freezing",
    "OPTIMIZERS",
    "OPTIM_WRAPPERS",
    "OPTIM_WRAPPER_CONSTRUCTORS",
    "OptimWrapper",
    "OptimWrapperDict",
    "TORCH_OPTIMIZERS",
    "ZeroRedundancyOptimizer",
    "build_optim_wrapper",
    "param_table",
]

if not TYPE_CHECKING:  # a type checker that saw it would take any name for public

    def __getattr__(name: str) -> object:
        if name == "ZeroRedundancyOptimizer":
            from .zero import ZeroRedundancyOptimizer  # torch's package behind it loads for long

            return ZeroRedundancyOptimizer
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
