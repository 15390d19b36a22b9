"""Models that train by themselves, and what surrounds them."""

from typing import TYPE_CHECKING

from ..lazy_names import lazy_names

if TYPE_CHECKING:
    from .adapter import PlainModel as PlainModel
    from .adapter import as_trainable as as_trainable
    from .averaging import BaseAveragedModel as BaseAveragedModel
    from .averaging import ExponentialMovingAverage as ExponentialMovingAverage
    from .averaging import MomentumAnnealingEMA as MomentumAnnealingEMA
    from .averaging import StochasticWeightAverage as StochasticWeightAverage
    from .base_model import BaseModel as BaseModel
    from .containers import ModuleDict as ModuleDict
    from .containers import ModuleList as ModuleList
    from .containers import Sequential as Sequential
    from .conv_bn_eval import turn_on_efficient_conv_bn_eval as turn_on_efficient_conv_bn_eval
    from .convert import convert_sync_batchnorm as convert_sync_batchnorm
    from .convert import revert_sync_batchnorm as revert_sync_batchnorm
    from .errors import AverageMismatchError as AverageMismatchError
    from .errors import InitializationError as InitializationError
    from .errors import ModelSettingsError as ModelSettingsError
    from .errors import ModelTypeError as ModelTypeError
    from .image_preprocessor import ImgDataPreprocessor as ImgDataPreprocessor
    from .initializers import BaseInit as BaseInit
    from .initializers import Caffe2XavierInit as Caffe2XavierInit
    from .initializers import ConstantInit as ConstantInit
    from .initializers import KaimingInit as KaimingInit
    from .initializers import NormalInit as NormalInit
    from .initializers import PretrainedInit as PretrainedInit
    from .initializers import TruncNormalInit as TruncNormalInit
    from .initializers import UniformInit as UniformInit
    from .initializers import XavierInit as XavierInit
    from .initializers import bias_init_with_prob as bias_init_with_prob
    from .initializers import caffe2_xavier_init as caffe2_xavier_init
    from .initializers import constant_init as constant_init
    from .initializers import initialize as initialize
    from .initializers import kaiming_init as kaiming_init
    from .initializers import normal_init as normal_init
    from .initializers import trunc_normal_init as trunc_normal_init
    from .initializers import uniform_init as uniform_init
    from .initializers import update_init_info as update_init_info
    from .initializers import xavier_init as xavier_init
    from .losses import parse_losses as parse_losses
    from .merging import merge_dict as merge_dict
    from .module import BaseModule as BaseModule
    from .preprocessor import BaseDataPreprocessor as BaseDataPreprocessor
    from .stacking import stack_batch as stack_batch
    from .test_time import BaseTTAModel as BaseTTAModel
    from .unused import detect_anomalous_params as detect_anomalous_params
    from .with_loss import ModelWithLoss as ModelWithLoss
    from .wrappers.distributed import MMDistributedDataParallel as MMDistributedDataParallel
    from .wrappers.separate import (
        MMSeparateDistributedDataParallel as MMSeparateDistributedDataParallel,
    )
    from .wrapping import is_model_wrapper as is_model_wrapper

_MODULE_OF = {
    "AverageMismatchError": "errors",
    "BaseAveragedModel": "averaging",
    "BaseDataPreprocessor": "preprocessor",
    "BaseInit": "initializers",
    "BaseModel": "base_model",
    "BaseModule": "module",
    "BaseTTAModel": "test_time",
    "Caffe2XavierInit": "initializers",
    "ConstantInit": "initializers",
    "ExponentialMovingAverage": "averaging",
    "ImgDataPreprocessor": "image_preprocessor",
    "InitializationError": "errors",
    "KaimingInit": "initializers",
    "MMDistributedDataParallel": "wrappers.distributed",
    "MMSeparateDistributedDataParallel": "wrappers.separate",
    "ModelSettingsError": "errors",
    "ModelTypeError": "errors",
    "ModelWithLoss": "with_loss",
    "ModuleDict": "containers",
    "ModuleList": "containers",
    "MomentumAnnealingEMA": "averaging",
    "NormalInit": "initializers",
    "PlainModel": "adapter",
    "PretrainedInit": "initializers",
    "Sequential": "containers",
    "StochasticWeightAverage": "averaging",
    "TruncNormalInit": "initializers",
    "UniformInit": "initializers",
    "XavierInit": "initializers",
    "as_trainable": "adapter",
    "bias_init_with_prob": "initializers",
    "caffe2_xavier_init": "initializers",
    "constant_init": "initializers",
    "convert_sync_batchnorm": "convert",
    "detect_anomalous_params": "unused",
    "initialize": "initializers",
    "is_model_wrapper": "wrapping",
    "kaiming_init": "initializers",
    "merge_dict": "merging",
    "normal_init": "initializers",
    "parse_losses": "losses",
    "revert_sync_batchnorm": "convert",
    "stack_batch": "stacking",
    "trunc_normal_init": "initializers",
    "turn_on_efficient_conv_bn_eval": "conv_bn_eval",
    "uniform_init": "initializers",
    "update_init_info": "initializers",
    "xavier_init": "initializers",
}

__all__ = sorted(_MODULE_OF)

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(__name__, _MODULE_OF)
