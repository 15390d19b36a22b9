"""Registering torch's optimizers under their own names.

Other packages are not looked for: register one class with
``OPTIMIZERS.register_module(module=TheirOptimizer)``, or let the package
announce itself by the entry point ``tk.registry``.
"""

from __future__ import annotations

import torch
from torch.optim import Optimizer

from tk_registry import OPTIMIZERS

from .zero import ZeroRedundancyOptimizer

__all__ = ["TORCH_OPTIMIZERS"]


def _torch_optimizers() -> dict[str, type[Optimizer]]:
    return {
        name: found
        for name, found in sorted(vars(torch.optim).items())
        if isinstance(found, type) and issubclass(found, Optimizer) and found is not Optimizer
    }


def _register() -> list[str]:
    """Register what is not there yet: a name that a user has taken stays the user's."""
    found: dict[str, type[Optimizer]] = _torch_optimizers()
    names: dict[str, type[Optimizer]] = {
        **found,
        "ZeroRedundancyOptimizer": ZeroRedundancyOptimizer,
    }
    if "Adafactor" in found:  # MMEngine's name for torch's; there, Adafactor was transformers'
        names["TorchAdafactor"] = found["Adafactor"]
    for name, optimizer in names.items():
        if name not in OPTIMIZERS.module_dict:
            OPTIMIZERS.register_module(name=name, module=optimizer)
    return list(found)


TORCH_OPTIMIZERS = _register()
