"""From a mapping to a wrapper."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch import nn
from torch.optim import Optimizer

from tk_registry import OPTIM_WRAPPER_CONSTRUCTORS, OPTIM_WRAPPERS

from ..errors import InvalidSettingError, InvalidTypeError
from .base import AnyOptimWrapper
from .constructor import DefaultOptimWrapperConstructor
from .wrapper import OptimWrapper


def build_optim_wrapper(model: nn.Module, cfg: Mapping[str, Any]) -> OptimWrapper:
    """The optimizer wrapper of a model, from its settings.

    Args:
        model: whose parameters are trained; one with ``.module`` is looked into.
        cfg: ``optimizer`` (a dict, or an optimizer that is built), the
            wrapper's ``type`` (default ``OptimWrapper``) and arguments,
            ``paramwise_cfg``, and ``constructor``: a name or a dict with
            ``type`` (default ``DefaultOptimWrapperConstructor``).
    """
    if not isinstance(cfg, Mapping):
        raise InvalidTypeError(f"the settings must be a dict, got {type(cfg).__name__}")
    settings = dict(cfg)
    constructor = settings.pop("constructor", None) or DefaultOptimWrapperConstructor
    paramwise = settings.pop("paramwise_cfg", None)
    if isinstance(settings.get("optimizer"), Optimizer):
        if paramwise:
            raise InvalidSettingError(
                "paramwise_cfg lays out the parameters of an optimizer that is not built yet; "
                "give optimizer as a dict"
            )
        built: OptimWrapper = OPTIM_WRAPPERS.build({"type": OptimWrapper, **settings})
        return _named(built, model)
    made = OPTIM_WRAPPER_CONSTRUCTORS.build(
        {
            **(constructor if isinstance(constructor, Mapping) else {"type": constructor}),
            "optim_wrapper_cfg": settings,
            "paramwise_cfg": paramwise,
        }
    )
    wrapper: OptimWrapper = made(model)
    return _named(wrapper, model)


def _named(wrapper: OptimWrapper, model: nn.Module) -> OptimWrapper:
    """The wrapper, with the names of its parameters; a constructor may return anything."""
    if isinstance(wrapper, AnyOptimWrapper):
        wrapper.name_parameters(getattr(model, "module", model))
    return wrapper
