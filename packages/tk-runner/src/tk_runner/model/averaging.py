"""Averages of weights over a training: equal, exponential, and exponential with a warm-up.

Averaging stays on the device: steps are counted on the host, and in a buffer for
the checkpoint that is never read.
"""

from __future__ import annotations

import logging
from abc import ABCMeta, abstractmethod
from typing import Any

import torch
from torch import Tensor, nn

from tk_registry import MODELS, Rule, check_values, count, more_than, value_rules

from .bare import bare_copy, bare_model, bare_tensors
from .errors import AverageMismatchError, ModelSettingsError
from .initializers.record import has_no_shape

logger = logging.getLogger("tk.runner")
Pair = tuple[Tensor, Tensor]


@value_rules(interval=count(1))
class BaseAveragedModel(nn.Module, metaclass=ABCMeta):
    """A copy of a model that follows it as an average.

    The copy is ``module``. Its names are those of the user's own model, however
    that is wrapped or compiled, and it has no gradients.

    Args:
        model: what is averaged.
        interval: updates between two averagings.
        device: where the copy lives; ``None`` beside the model.
        update_buffers: average floating-point buffers too; else they are copied
            at every update.

    Raises:
        ModelSettingsError: there is nothing to average, or it would never happen.
    """

    def __init__(
        self,
        model: nn.Module,
        interval: int = 1,
        device: torch.device | str | None = None,
        update_buffers: bool = False,
    ) -> None:
        super().__init__()
        check_values(BaseAveragedModel, {"interval": interval}, ModelSettingsError)
        _refuse_nothing(bare_model(model))
        self.module = bare_copy(model).requires_grad_(False)
        if device is not None:
            self.module = self.module.to(device)
        self.interval = interval
        self.update_buffers = update_buffers
        self.register_buffer("steps", torch.zeros((), dtype=torch.long))
        self.steps: Tensor
        self._steps = 0

    @abstractmethod
    def avg_func(self, averaged_param: Tensor, source_param: Tensor, steps: int) -> None:
        """Move one averaged tensor towards its source, in place; ``steps`` updates were before."""

    @torch.no_grad()
    def update_parameters(self, model: nn.Module) -> None:
        """Take the model's present weights into the average; the first time, copy them.

        Raises:
            AverageMismatchError: the model has other weights than the average.
        """
        own_params, own_buffers = bare_tensors(self.module)
        params, buffers = bare_tensors(model)
        pairs = _pairs(own_params, params)
        buffer_pairs = _pairs(own_buffers, buffers)
        is_first = self._steps == 0
        if is_first or self._steps % self.interval == 0:
            due = [*pairs, *buffer_pairs] if self.update_buffers else pairs
            averaged = [] if is_first else [pair for pair in due if pair[0].is_floating_point()]
            self._average(averaged)
            _copy([pair for pair in due if is_first or not pair[0].is_floating_point()])
        if not self.update_buffers:
            _copy(buffer_pairs)
        self._steps += 1
        self.steps += 1

    def _average(self, pairs: list[Pair]) -> None:
        for own, new in pairs:
            self.avg_func(own, new.to(own.device, own.dtype), self._steps)

    def _load_from_state_dict(self, state_dict: Any, prefix: str, *args: Any) -> None:
        super()._load_from_state_dict(state_dict, prefix, *args)
        if f"{prefix}steps" in state_dict:
            self._steps = int(state_dict[f"{prefix}steps"])

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What the averaged model gives."""
        return self.module(*args, **kwargs)


class _LerpAverage(BaseAveragedModel):
    """An average that moves by a share of the distance, which depends on the steps only."""

    @abstractmethod
    def share(self, steps: int) -> float:
        """How far it moves, from 0 (not at all) to 1 (to the newest weights)."""

    def avg_func(self, averaged_param: Tensor, source_param: Tensor, steps: int) -> None:
        """Move by the share."""
        averaged_param.lerp_(source_param, self.share(steps))

    def _average(self, pairs: list[Pair]) -> None:
        if not pairs or type(self).avg_func is not _LerpAverage.avg_func:
            super()._average(pairs)  # a subclass has a rule of its own
            return
        averaged = [own for own, _ in pairs]
        source = [new.to(own.device, own.dtype) for own, new in pairs]
        torch._foreach_lerp_(averaged, source, self.share(self._steps))


@MODELS.register_module()
class StochasticWeightAverage(_LerpAverage):
    """The equal mean of all weights so far (Izmailov et al. 2018)."""

    def share(self, steps: int) -> float:
        """1/n for the newest of n."""
        return 1.0 / (steps // self.interval + 1)


@MODELS.register_module()
@value_rules(
    momentum=Rule(
        "a number between 0 and 1, both excluded",
        lambda value: isinstance(value, (int, float)) and 0.0 < value < 1.0,
    )
)
class ExponentialMovingAverage(_LerpAverage):
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
        device: torch.device | str | None = None,
        update_buffers: bool = False,
    ) -> None:
        super().__init__(model, interval, device, update_buffers)
        check_values(ExponentialMovingAverage, {"momentum": momentum}, ModelSettingsError)
        if momentum > 0.5:
            logger.warning(
                "momentum=%s is the share of the newest weights, so this hardly averages; "
                "usual values are near 0",
                momentum,
            )
        self.momentum = momentum

    def share(self, steps: int) -> float:
        """The same for each newest."""
        return self.momentum


@MODELS.register_module()
@value_rules(gamma=more_than(0))
class MomentumAnnealingEMA(ExponentialMovingAverage):
    """An exponential average whose momentum falls: ``max(momentum, gamma / (gamma + steps))``.

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
        device: torch.device | str | None = None,
        update_buffers: bool = False,
    ) -> None:
        super().__init__(model, momentum, interval, device, update_buffers)
        check_values(MomentumAnnealingEMA, {"gamma": gamma}, ModelSettingsError)
        self.gamma = gamma

    def share(self, steps: int) -> float:
        """Less with every step."""
        return max(self.momentum, self.gamma / (self.gamma + steps))


def _refuse_nothing(module: nn.Module) -> None:
    if any(has_no_shape(param) for param in module.parameters()):
        raise ModelSettingsError(
            f"{type(module).__name__} has parameters without a shape; run one batch through it "
            "before it is averaged"
        )
    kinds = {param.dtype for param in module.parameters() if param.is_floating_point()}
    if not kinds:
        raise ModelSettingsError(
            f"{type(module).__name__} has no floating-point parameter, so there is nothing to "
            "average; give the model that is trained"
        )
    if kinds & {torch.half, torch.bfloat16}:
        logger.warning(
            "the average of %s is kept in half precision, which rounds small changes away; keep "
            "the weights in float32 and compute in half precision by autocast",
            type(module).__name__,
        )


def _pairs(own: dict[str, Tensor], source: dict[str, Tensor]) -> list[Pair]:
    if own.keys() != source.keys():
        lacking, new = sorted(own.keys() - source.keys()), sorted(source.keys() - own.keys())
        raise AverageMismatchError(
            f"the average follows another model: only it has {lacking or 'nothing'}, only the "
            f"model has {new or 'nothing'}; make the average out of the model that it follows, "
            "after that is complete"
        )
    return [(tensor, source[name]) for name, tensor in own.items()]


def _copy(pairs: list[Pair]) -> None:
    for own, new in pairs:
        own.copy_(new)
