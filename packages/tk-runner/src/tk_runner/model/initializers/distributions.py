"""Weights out of the usual distributions, as functions for one layer and as initializers.

Constant, normal (whole or truncated), uniform; by Xavier's rule, whose spread
keeps the variance forward and backward (Glorot and Bengio 2010), and by
Kaiming's, whose spread suits rectified units (He et al. 2015).
"""

from __future__ import annotations

from functools import partial
from typing import Any

from torch import nn

from tk_registry import WEIGHT_INITIALIZERS

from .base import BaseInit, chosen, initialise_layer

_XAVIER_DRAWS = {"normal": nn.init.xavier_normal_, "uniform": nn.init.xavier_uniform_}
_KAIMING_DRAWS = {"normal": nn.init.kaiming_normal_, "uniform": nn.init.kaiming_uniform_}


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


def xavier_init(
    module: nn.Module, gain: float = 1, bias: float = 0, distribution: str = "normal"
) -> None:
    """Draw the weight of a layer by Xavier's rule, ``normal`` or ``uniform``."""
    draw = partial(chosen(distribution, _XAVIER_DRAWS), gain=gain)
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
        chosen(distribution, _XAVIER_DRAWS)
        self.gain = gain
        self.distribution = distribution

    def init_layer(self, module: nn.Module) -> None:
        """Draw one layer."""
        xavier_init(module, self.gain, self.bias, self.distribution)


def kaiming_init(
    module: nn.Module,
    a: float = 0,
    mode: str = "fan_out",
    nonlinearity: str = "relu",
    bias: float = 0,
    distribution: str = "normal",
) -> None:
    """Draw the weight of a layer by Kaiming's rule, ``normal`` or ``uniform``."""
    draw = partial(chosen(distribution, _KAIMING_DRAWS), a=a, mode=mode, nonlinearity=nonlinearity)
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
        chosen(distribution, _KAIMING_DRAWS)
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
