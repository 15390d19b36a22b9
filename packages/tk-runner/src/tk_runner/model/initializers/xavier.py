"""Weights whose spread keeps the variance forward and backward (Glorot and Bengio 2010)."""

from __future__ import annotations

from functools import partial
from typing import Any

from torch import nn

from tk_registry import WEIGHT_INITIALIZERS

from .base import BaseInit
from .layer import chosen, initialise_layer

_DRAWS = {"normal": nn.init.xavier_normal_, "uniform": nn.init.xavier_uniform_}


def xavier_init(
    module: nn.Module, gain: float = 1, bias: float = 0, distribution: str = "normal"
) -> None:
    """Draw the weight of a layer by Xavier's rule, ``normal`` or ``uniform``."""
    draw = partial(chosen(distribution, _DRAWS), gain=gain)
    initialise_layer(module, draw, bias, needs_fan=True)


@WEIGHT_INITIALIZERS.register_module(name="Xavier")
class XavierInit(BaseInit):
    """Draws weights by Xavier's rule.

    Args:
        gain: factor on the spread.
        distribution: ``normal`` or ``uniform``.
        **kwargs: of `BaseInit`.
    """

    def __init__(self, gain: float = 1, distribution: str = "normal", **kwargs: Any) -> None:
        super().__init__(**kwargs)
        chosen(distribution, _DRAWS)
        self.gain = gain
        self.distribution = distribution

    def init_layer(self, module: nn.Module) -> None:
        """Draw one layer."""
        xavier_init(module, self.gain, self.bias, self.distribution)
