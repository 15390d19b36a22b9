"""Weights whose spread suits rectified units (He et al. 2015)."""

from __future__ import annotations

from functools import partial
from typing import Any

from torch import nn

from tk_registry import WEIGHT_INITIALIZERS

from .base import BaseInit
from .layer import chosen, initialise_layer

_DRAWS = {"normal": nn.init.kaiming_normal_, "uniform": nn.init.kaiming_uniform_}


def kaiming_init(
    module: nn.Module,
    a: float = 0,
    mode: str = "fan_out",
    nonlinearity: str = "relu",
    bias: float = 0,
    distribution: str = "normal",
) -> None:
    """Draw the weight of a layer by Kaiming's rule, ``normal`` or ``uniform``."""
    draw = partial(chosen(distribution, _DRAWS), a=a, mode=mode, nonlinearity=nonlinearity)
    initialise_layer(module, draw, bias, needs_fan=True)


def caffe2_xavier_init(module: nn.Module, bias: float = 0) -> None:
    """Draw the weight of a layer as Caffe2's ``XavierFill`` does: uniform, by inputs only."""
    kaiming_init(
        module, a=1, mode="fan_in", nonlinearity="leaky_relu", bias=bias, distribution="uniform"
    )


@WEIGHT_INITIALIZERS.register_module(name="Kaiming")
class KaimingInit(BaseInit):
    """Draws weights by Kaiming's rule.

    Args:
        a: slope of the leaky rectifier behind the layer.
        mode: ``fan_in`` keeps the variance forward, ``fan_out`` backward.
        nonlinearity: ``relu`` or ``leaky_relu``.
        distribution: ``normal`` or ``uniform``.
        **kwargs: of `BaseInit`.
    """

    def __init__(
        self,
        a: float = 0,
        mode: str = "fan_out",
        nonlinearity: str = "relu",
        distribution: str = "normal",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        chosen(distribution, _DRAWS)
        self.a = a
        self.mode = mode
        self.nonlinearity = nonlinearity
        self.distribution = distribution

    def init_layer(self, module: nn.Module) -> None:
        """Draw one layer."""
        kaiming_init(module, self.a, self.mode, self.nonlinearity, self.bias, self.distribution)


@WEIGHT_INITIALIZERS.register_module(name="Caffe2Xavier")
class Caffe2XavierInit(KaimingInit):
    """Draws weights as Caffe2's ``XavierFill`` does.

    Args:
        **kwargs: of `BaseInit`.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(
            a=1, mode="fan_in", nonlinearity="leaky_relu", distribution="uniform", **kwargs
        )
