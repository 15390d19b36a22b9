"""Registering torch's optimizers under their own names, with the rules for their values.

Other packages are not looked for: register one class with
``OPTIMIZERS.register_module(module=TheirOptimizer)``, or let the package
announce itself by the entry point ``tk.registry``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import torch
from torch.optim import Optimizer

from tk_registry import OPTIMIZERS, Rule, at_least, between, pair_of, value_rules

__all__ = ["TORCH_OPTIMIZERS"]


_FRACTION = Rule(
    "a number from 0 up to but not including 1",
    lambda value: between(0, 1).fits(value) and value != 1,
)
# What torch's constructors refuse, by the name of the argument; those that mean different
# things in different optimizers are left out.
_RULES = {
    "betas": pair_of(_FRACTION),
    "initial_accumulator_value": at_least(0),
    "lr": at_least(0),
    "lr_decay": at_least(0),
    "momentum": at_least(0),
    "rho": between(0, 1),
    "weight_decay": at_least(0),
}


def _momentum_problems(
    momentum: float, dampening: float, nesterov: bool
) -> Iterator[tuple[str, str]]:
    if nesterov and (momentum <= 0 or dampening != 0):
        yield "nesterov", "nesterov=True needs a momentum above 0 and a dampening of 0"


def _declare_rules(optimizer: type[Optimizer]) -> None:
    names = inspect.signature(optimizer).parameters
    relations = [_momentum_problems] if {"momentum", "dampening", "nesterov"} <= set(names) else []
    value_rules(*relations, **{name: _RULES[name] for name in names if name in _RULES})(optimizer)


def _torch_optimizers() -> dict[str, type[Optimizer]]:
    return {
        name: found
        for name, found in sorted(vars(torch.optim).items())
        if isinstance(found, type) and issubclass(found, Optimizer) and found is not Optimizer
    }


def _zero(params: Iterable[Any], optimizer_type: str, **kwargs: Any) -> Optimizer:
    from .zero import ZeroRedundancyOptimizer  # torch's package behind it loads for half a second

    return ZeroRedundancyOptimizer(params, optimizer_type, **kwargs)


def _register() -> list[str]:
    """Register what is not there yet: a name that a user has taken stays the user's."""
    found: dict[str, type[Optimizer]] = _torch_optimizers()
    names: dict[str, Callable[..., Optimizer]] = {**found, "ZeroRedundancyOptimizer": _zero}
    if "Adafactor" in found:  # MMEngine's name for torch's; there, Adafactor was transformers'
        names["TorchAdafactor"] = found["Adafactor"]
    for kind in found.values():
        _declare_rules(kind)
    for name, optimizer in names.items():
        if name not in OPTIMIZERS.module_dict:
            OPTIMIZERS.register_module(name=name, module=optimizer)
    return list(found)


TORCH_OPTIMIZERS = _register()
