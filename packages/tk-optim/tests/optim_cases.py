"""Optimizers and schedules that several tests build."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.optim import SGD, Optimizer
from torch.utils._python_dispatch import TorchDispatchMode

from tk_optim import scheduler

Make = Callable[[Optimizer], Any]

FAMILIES: dict[str, Make] = {
    "step": lambda o: scheduler.StepLR(o, step_size=3),
    "multi_step": lambda o: scheduler.MultiStepLR(o, milestones=[2, 5, 5]),
    "constant": lambda o: scheduler.ConstantLR(o, factor=0.25, begin=2, end=7),
    "exponential": lambda o: scheduler.ExponentialLR(o, gamma=0.9, begin=1),
    "cosine": lambda o: scheduler.CosineAnnealingLR(o, T_max=8, eta_min=0.01, begin=2, end=12),
    "linear": lambda o: scheduler.LinearLR(o, start_factor=0.1, begin=0, end=6),
    "poly": lambda o: scheduler.PolyLR(o, eta_min=0.01, power=0.9, end=9),
    "one_cycle": lambda o: scheduler.OneCycleLR(o, eta_max=0.5, total_steps=14),
    "restart": lambda o: scheduler.CosineRestartLR(
        o, periods=[4, 6], restart_weights=[1, 0.5], eta_min_ratio=0.1
    ),
    "warmup_stable_decay": lambda o: scheduler.WarmupStableDecayLR(
        o, warmup=3, decay=4, end=12, decay_shape="sqrt"
    ),
}


def make_optimizer(*rates: float, kind: Callable[..., Optimizer] = SGD, **kwargs: Any) -> Optimizer:
    """An optimizer with one group a rate, each of one parameter."""
    groups = [{"params": [nn.Parameter(torch.zeros(1))], "lr": rate} for rate in rates or (0.1,)]
    return kind(groups, **kwargs)


def rates(optimizer: Optimizer) -> list[float]:
    """The learning rates of the groups."""
    return [group["lr"] for group in optimizer.param_groups]


def follow(optimizer: Optimizer, schedulers: list[Any], steps: int) -> list[float]:
    """The rate of the first group at each of so many steps."""
    seen = []
    for _ in range(steps):
        seen.append(optimizer.param_groups[0]["lr"])
        for one in schedulers:
            one.step()
    return seen


class ReadCounter(TorchDispatchMode):
    """Counts how often a value is read from a tensor."""

    def __init__(self) -> None:
        super().__init__()
        self.reads = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if "_local_scalar_dense" in str(func) or "is_nonzero" in str(func):
            self.reads += 1
        return func(*args, **(kwargs or {}))
