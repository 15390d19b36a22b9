"""One value for all weights."""

from __future__ import annotations

from functools import partial
from typing import Any

from torch import nn

from tk_registry import WEIGHT_INITIALIZERS

from .base import BaseInit
from .layer import initialise_layer


def constant_init(module: nn.Module, val: float, bias: float = 0) -> None:
    """Set the weight of a layer to ``val`` and its bias to ``bias``."""
    initialise_layer(module, partial(nn.init.constant_, val=val), bias)


@WEIGHT_INITIALIZERS.register_module(name="Constant")
class ConstantInit(BaseInit):
    """Sets weights to one value.

    Args:
        val: the value.
        **kwargs: of `BaseInit`.
    """

    def __init__(self, val: float, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.val = val

    def init_layer(self, module: nn.Module) -> None:
        """Set one layer."""
        constant_init(module, self.val, self.bias)
