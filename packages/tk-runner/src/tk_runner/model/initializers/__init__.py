"""First values of weights: one family a file, and their application by config."""

from .apply import build_initializer, initialize, is_pretrained
from .base import BaseInit
from .constant import ConstantInit, constant_init
from .kaiming import Caffe2XavierInit, KaimingInit, caffe2_xavier_init, kaiming_init
from .layer import bias_init_with_prob
from .normal import NormalInit, TruncNormalInit, normal_init, trunc_normal_init
from .pretrained import PretrainedInit
from .record import recording, update_init_info
from .uniform import UniformInit, uniform_init
from .xavier import XavierInit, xavier_init

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
