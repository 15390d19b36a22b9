"""Registering torch's optimizers under their own names.

Other packages are not looked for: register one class with
``OPTIMIZERS.register_module(module=TheirOptimizer)``, or let the package
announce itself by the entry point ``tk.registry``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch.optim import Optimizer

from tk_registry import OPTIMIZERS

__all__ = ["TORCH_OPTIMIZERS"]


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
    for name, optimizer in names.items():
        if name not in OPTIMIZERS.module_dict:
            OPTIMIZERS.register_module(name=name, module=optimizer)
    return list(found)


TORCH_OPTIMIZERS = _register()
