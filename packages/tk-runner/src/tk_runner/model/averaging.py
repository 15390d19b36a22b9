"""Averages of weights over a training: equal, exponential, and exponential with a warm-up.

Averaging stays on the device: the number of steps is counted on the host and
kept in a buffer for the checkpoint.
"""

from __future__ import annotations

import copy
import warnings
from abc import abstractmethod
from typing import Any

import torch
from torch import Tensor, nn

from tk_registry import MODELS

from ..errors import InvalidSettingsError


class BaseAveragedModel(nn.Module):
    """A copy of a model that follows it as an average.

    Args:
        model: what is averaged; under wrappers or compiled, the model inside.
        interval: updates between two averagings.
        device: where the copy lives; ``None`` beside the model.
        update_buffers: average floating-point buffers too, else they are copied.
    """

    def __init__(
        self,
        model: nn.Module,
        interval: int = 1,
        device: torch.device | None = None,
        update_buffers: bool = False,
    ) -> None:
        super().__init__()
        if interval < 1:
            raise InvalidSettingsError(f"interval={interval} never averages; use 1 or more")
        self.module = copy.deepcopy(inner_model(model)).requires_grad_(False)
        if device is not None:
            self.module = self.module.to(device)
        self.interval = interval
        self.update_buffers = update_buffers
        self.register_buffer("steps", torch.zeros((), dtype=torch.long))
        self._steps = 0

    @abstractmethod
    def avg_func(self, averaged: list[Tensor], source: list[Tensor], steps: int) -> None:
        """Move each averaged tensor towards its source, in place; ``steps`` were done before."""

    @torch.no_grad()
    def update_parameters(self, model: nn.Module) -> None:
        """Take the model's present weights into the average; the first time, copy them."""
        if self._steps == 0:
            self._copy(self._pairs(model, with_buffers=True))
        elif self._steps % self.interval == 0:
            pairs = self._pairs(model, with_buffers=self.update_buffers)
            floating = [(own, new) for own, new in pairs if own.is_floating_point()]
            if floating:
                averaged, source = map(list, zip(*floating, strict=True))
                self.avg_func(averaged, source, self._steps)
            self._copy([(own, new) for own, new in pairs if not own.is_floating_point()])
        if not self.update_buffers:
            self._copy(self._buffer_pairs(model))
        self._steps += 1
        self.steps += 1  # type: ignore[misc, operator]

    @staticmethod
    def _copy(pairs: list[tuple[Tensor, Tensor]]) -> None:
        for own, new in pairs:
            own.copy_(new)

    def _pairs(self, model: nn.Module, with_buffers: bool) -> list[tuple[Tensor, Tensor]]:
        model = inner_model(model)
        source = dict(model.named_parameters())
        pairs = [(own, source[name].to(own.device)) for name, own in self.module.named_parameters()]
        return pairs + (self._buffer_pairs(model) if with_buffers else [])

    def _buffer_pairs(self, model: nn.Module) -> list[tuple[Tensor, Tensor]]:
        source = dict(inner_model(model).named_buffers())
        return [(own, source[name].to(own.device)) for name, own in self.module.named_buffers()]

    def _load_from_state_dict(self, state_dict: Any, prefix: str, *args: Any) -> None:
        if f"{prefix}steps" in state_dict:
            self._steps = int(state_dict[f"{prefix}steps"])
        super()._load_from_state_dict(state_dict, prefix, *args)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What the averaged model gives."""
        return self.module(*args, **kwargs)


def inner_model(model: nn.Module) -> nn.Module:
    """The user's own model inside of wrappers and of ``torch.compile``."""
    while True:
        inner = getattr(model, "_orig_mod", None)
        if inner is None and isinstance(model, nn.parallel.DistributedDataParallel):
            inner = model.module
        if inner is None:
            return model
        model = inner


@MODELS.register_module()
class StochasticWeightAverage(BaseAveragedModel):
    """The equal mean of all weights so far (Izmailov et al. 2018)."""

    def avg_func(self, averaged: list[Tensor], source: list[Tensor], steps: int) -> None:
        """Weight 1/n for the newest of n."""
        count = steps // self.interval + 1
        torch._foreach_lerp_(averaged, source, 1.0 / count)


@MODELS.register_module()
class ExponentialMovingAverage(BaseAveragedModel):
    """``average = (1 - momentum) * average + momentum * weights``.

    Args:
        model: what is averaged.
        momentum: weight of the newest, between 0 and 1.
        interval: as in the base class.
        device: as in the base class.
        update_buffers: as in the base class.
    """

    def __init__(
        self,
        model: nn.Module,
        momentum: float = 0.0002,
        interval: int = 1,
        device: torch.device | None = None,
        update_buffers: bool = False,
    ) -> None:
        super().__init__(model, interval, device, update_buffers)
        if not 0.0 < momentum < 1.0:
            raise InvalidSettingsError(
                f"momentum={momentum} must lie between 0 and 1, both excluded"
            )
        if momentum > 0.5:
            warnings.warn(
                f"momentum={momentum} is the weight of the newest weights; values near 0 average",
                stacklevel=2,
            )
        self.momentum = momentum

    def avg_func(self, averaged: list[Tensor], source: list[Tensor], steps: int) -> None:
        """The same weight for each newest."""
        torch._foreach_lerp_(averaged, source, self.momentum)


@MODELS.register_module()
class MomentumAnnealingEMA(ExponentialMovingAverage):
    """An exponential average whose momentum falls to its value: ``max(momentum, gamma / (gamma + n))``.

    Args:
        model: what is averaged.
        momentum: the final momentum.
        gamma: how slowly it is reached.
        interval: as in the base class.
        device: as in the base class.
        update_buffers: as in the base class.
    """

    def __init__(
        self,
        model: nn.Module,
        momentum: float = 0.0002,
        gamma: int = 100,
        interval: int = 1,
        device: torch.device | None = None,
        update_buffers: bool = False,
    ) -> None:
        super().__init__(model, momentum, interval, device, update_buffers)
        if gamma <= 0:
            raise InvalidSettingsError(f"gamma={gamma} must be greater than 0")
        self.gamma = gamma

    def avg_func(self, averaged: list[Tensor], source: list[Tensor], steps: int) -> None:
        """A weight that falls with the steps."""
        momentum = max(self.momentum, self.gamma / (self.gamma + steps))
        torch._foreach_lerp_(averaged, source, momentum)
