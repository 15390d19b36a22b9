"""First values of weights: their distributions, and their application by config."""

from .apply import build_initializer, initialize, is_pretrained
from .base import BaseInit, bias_init_with_prob
from .distributions import (
    Caffe2XavierInit,
    ConstantInit,
    KaimingInit,
    NormalInit,
    TruncNormalInit,
    UniformInit,
    XavierInit,
    caffe2_xavier_init,
    constant_init,
    kaiming_init,
    normal_init,
    trunc_normal_init,
    uniform_init,
    xavier_init,
)
from .pretrained import PretrainedInit
from .record import recording, update_init_info

__all__ = [
    "BaseInit",
    "Caffe2XavierInit",
    "ConstantInit",
    "KaimingInit",
    "NormalInit",
    "PretrainedInit",
    "TruncNormalInit",
    "UniformInit",
    "XavierInit",
    "bias_init_with_prob",
    "build_initializer",
    "caffe2_xavier_init",
    "constant_init",
    "initialize",
    "is_pretrained",
    "kaiming_init",
    "normal_init",
    "recording",
    "trunc_normal_init",
    "uniform_init",
    "update_init_info",
    "xavier_init",
]
