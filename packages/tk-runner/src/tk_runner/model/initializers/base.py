"""`BaseInit`: to which layers an initializer applies, and what it does to one of them.

It draws the weight of a layer and fills the bias. A layer without a weight, or
with an empty one, is left alone; so is a missing bias.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor, nn

from tk_registry import did_you_mean

from ..errors import InitializationError, ModelSettingsError, ModelTypeError
from .record import has_no_shape, update_init_info

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


class BaseInit:
    """Base of the initializers that act layer by layer.

    Args:
        bias: the value of biases.
        bias_prob: makes a bias by `bias_init_with_prob`; wins over ``bias``.
        layer: names of the classes that are initialised; base classes match
            too. ``None`` is every layer.
    """

    def __init__(
        self,
        *,
        bias: float = 0,
        bias_prob: float | None = None,
        layer: str | list[str] | None = None,
    ) -> None:
        if not isinstance(bias, (int, float)):
            raise ModelTypeError(f"bias must be a number, got {bias!r}")
        if bias_prob is not None and not isinstance(bias_prob, float):
            raise ModelTypeError(f"bias_prob must be a float, got {bias_prob!r}")
        if layer is not None and not isinstance(layer, (str, list, tuple)):
            raise ModelTypeError(
                f"layer must be the name of a class or a list of names, got {layer!r}"
            )
        self.wholemodule = layer is None
        self.layer = [layer] if isinstance(layer, str) else list(layer or ())
        self.bias = float(bias) if bias_prob is None else bias_init_with_prob(bias_prob)

    def init_layer(self, module: nn.Module) -> None:
        """Initialise the weight and the bias of this very layer, where it has them."""
        raise NotImplementedError(f"{type(self).__name__} must define init_layer(module)")

    def matches(self, module: nn.Module) -> bool:
        """Whether the layer is one of those that are initialised."""
        return self.wholemodule or any(kind.__name__ in self.layer for kind in type(module).__mro__)

    def __call__(self, module: nn.Module) -> None:
        """Initialise the layers of ``module`` that match, inner ones first."""
        module.apply(self._init_if_meant)
        update_init_info(module, self._get_init_info())

    def _init_if_meant(self, module: nn.Module) -> None:
        if self.matches(module):
            self.init_layer(module)

    def _get_init_info(self) -> str:
        return repr(self)

    def __repr__(self) -> str:
        shown: dict[str, Any] = {
            name: value
            for name, value in vars(self).items()
            if name not in ("wholemodule", "layer")
        }
        return f"{type(self).__name__}({', '.join(f'{k}={v}' for k, v in shown.items())})"
