"""What all initializers do to one layer: draw its weight, fill its bias.

A layer without a weight, or with an empty one, is left alone; so is a missing bias.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.parameter import is_lazy

from tk_registry import did_you_mean

from ..errors import InitializationError, ModelSettingsError

Draw = Callable[[Tensor], object]


def initialise_layer(
    module: nn.Module, draw: Draw, bias: float, *, needs_fan: bool = False
) -> None:
    """Draw the weight of one layer in place and fill its bias.

    Args:
        module: the layer.
        draw: fills a tensor in place.
        bias: the value of the bias.
        needs_fan: the draw depends on the numbers of inputs and outputs.

    Raises:
        InitializationError: the weight has no shape yet, or no inputs and outputs.
    """
    weight = _filled(module, "weight")
    if weight is not None:
        if needs_fan and weight.dim() < 2:
            raise InitializationError(
                f"the weight of {type(module).__name__} has shape {tuple(weight.shape)}, and this "
                "initializer needs inputs and outputs, two dimensions; name the layers that have "
                "them with layer=..."
            )
        draw(weight)
    bias_tensor = _filled(module, "bias")
    if bias_tensor is not None:
        nn.init.constant_(bias_tensor, bias)


def _filled(module: nn.Module, name: str) -> Tensor | None:
    value = getattr(module, name, None)
    if has_no_shape(value):
        raise InitializationError(
            f"the {name} of {type(module).__name__} has no shape yet; run one batch through the "
            "model before init_weights()"
        )
    return value if isinstance(value, Tensor) and value.numel() else None


def has_no_shape(value: Any) -> bool:
    """Whether it is a tensor of a lazy module that saw no batch yet."""
    return isinstance(value, Tensor) and bool(is_lazy(value))


def chosen(distribution: str, draws: Mapping[str, Callable[..., Any]]) -> Callable[..., Any]:
    """The draw of a distribution.

    Raises:
        ModelSettingsError: it is not among ``draws``.
    """
    if distribution not in draws:
        raise ModelSettingsError(
            f"distribution={distribution!r} is not supported; {did_you_mean(distribution, draws)}"
        )
    return draws[distribution]


def bias_init_with_prob(prior_prob: float) -> float:
    """The bias with which a sigmoid gives ``prior_prob``: ``-log((1 - p) / p)``.

    Source: Lin et al. 2017 (focal loss).

    Raises:
        ModelSettingsError: not between 0 and 1.
    """
    if not 0 < prior_prob < 1:
        raise ModelSettingsError(f"a probability of {prior_prob} must lie between 0 and 1")
    return float(-torch.log(torch.tensor((1 - prior_prob) / prior_prob, dtype=torch.float64)))
