"""Weights out of a normal distribution, whole or truncated."""

from __future__ import annotations

from functools import partial
from typing import Any

from torch import nn

from tk_registry import WEIGHT_INITIALIZERS

from .base import BaseInit
from .layer import initialise_layer


def normal_init(module: nn.Module, mean: float = 0, std: float = 1, bias: float = 0) -> None:
    """Draw the weight of a layer from a normal distribution."""
    initialise_layer(module, partial(nn.init.normal_, mean=mean, std=std), bias)


def trunc_normal_init(
    module: nn.Module,
    mean: float = 0,
    std: float = 1,
    a: float = -2,
    b: float = 2,
    bias: float = 0,
) -> None:
    """Draw the weight of a layer from a normal distribution cut to values from ``a`` to ``b``."""
    initialise_layer(module, partial(nn.init.trunc_normal_, mean=mean, std=std, a=a, b=b), bias)


@WEIGHT_INITIALIZERS.register_module(name="Normal")
class NormalInit(BaseInit):
    """Draws weights from a normal distribution.

    Args:
        mean: its mean.
        std: its standard deviation.
        **kwargs: of `BaseInit`.
    """

    def __init__(self, mean: float = 0, std: float = 1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.mean = mean
        self.std = std

    def init_layer(self, module: nn.Module) -> None:
        """Draw one layer."""
        normal_init(module, self.mean, self.std, self.bias)


@WEIGHT_INITIALIZERS.register_module(name="TruncNormal")
class TruncNormalInit(BaseInit):
    """Draws weights from a normal distribution without its tails.

    Args:
        mean: its mean before it is cut.
        std: its standard deviation before it is cut.
        a: the least value.
        b: the greatest value.
        **kwargs: of `BaseInit`.
    """

    def __init__(
        self, mean: float = 0, std: float = 1, a: float = -2, b: float = 2, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.mean = mean
        self.std = std
        self.a = a
        self.b = b

    def init_layer(self, module: nn.Module) -> None:
        """Draw one layer."""
        trunc_normal_init(module, self.mean, self.std, self.a, self.b, self.bias)
