"""Weights out of a uniform distribution."""

from __future__ import annotations

from functools import partial
from typing import Any

from torch import nn

from tk_registry import WEIGHT_INITIALIZERS

from .base import BaseInit
from .layer import initialise_layer


def uniform_init(module: nn.Module, a: float = 0, b: float = 1, bias: float = 0) -> None:
    """Draw the weight of a layer evenly from ``a`` to ``b``."""
    initialise_layer(module, partial(nn.init.uniform_, a=a, b=b), bias)


@WEIGHT_INITIALIZERS.register_module(name="Uniform")
class UniformInit(BaseInit):
    """Draws weights from a uniform distribution.

    Args:
        a: the least value.
        b: the greatest value.
        **kwargs: of `BaseInit`.
    """

    def __init__(self, a: float = 0, b: float = 1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.a = a
        self.b = b

    def init_layer(self, module: nn.Module) -> None:
        """Draw one layer."""
        uniform_init(module, self.a, self.b, self.bias)
