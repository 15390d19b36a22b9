"""Layers, devices and images of torch."""

from __future__ import annotations

import inspect
import multiprocessing
import os
import sys
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.modules import batchnorm, conv, instancenorm, pooling

from .packages import is_installed

TORCH_VERSION = torch.__version__
SyncBatchNorm = nn.SyncBatchNorm
_BatchNorm = batchnorm._BatchNorm
_InstanceNorm = instancenorm._InstanceNorm
_ConvNd = conv._ConvNd
_ConvTransposeMixin = conv._ConvTransposeNd
_AdaptiveAvgPoolNd = pooling._AdaptiveAvgPoolNd
_AdaptiveMaxPoolNd = pooling._AdaptiveMaxPoolNd
_AvgPoolNd = pooling._AvgPoolNd
_MaxPoolNd = pooling._MaxPoolNd
trunc_normal_ = nn.init.trunc_normal_
load_url = torch.hub.load_state_dict_from_url

_NORMS = (_BatchNorm, _InstanceNorm, nn.GroupNorm, nn.LayerNorm)


def is_norm(layer: nn.Module, exclude: Any = None) -> bool:
    """Whether a layer normalises: by batch, instance, group or layer.

    Args:
        layer: a module.
        exclude: a type, or a tuple of types, that does not count.

    Raises:
        TypeError: ``exclude`` is something else.
    """
    if exclude is not None:
        kinds = exclude if isinstance(exclude, tuple) else (exclude,)
        if not all(inspect.isclass(kind) for kind in kinds):
            raise TypeError(f"exclude must be a type or a tuple of types, got {exclude!r}")
        if isinstance(layer, kinds):
            return False
    return isinstance(layer, _NORMS)


def has_batch_norm(model: nn.Module) -> bool:
    """Whether there is a batch norm in the model."""
    return any(isinstance(module, _BatchNorm) for module in model.modules())


def torch_meshgrid(*tensors: Tensor) -> tuple[Tensor, ...]:
    """A grid by rows and columns (``ij``)."""
    return torch.meshgrid(*tensors, indexing="ij")


def is_jit_tracing() -> bool:
    """Whether the model is being traced."""
    return torch._C._get_tracing_state() is not None


def is_rocm_pytorch() -> bool:
    """Whether torch was built for AMD's devices."""
    return torch.version.hip is not None


def get_build_config() -> str:
    """How torch was built, as a text."""
    return torch.__config__.show()


def mmcv_full_available() -> bool:
    """Whether an MMCV with compiled operators is installed."""
    return is_installed("mmcv._ext")


def set_multi_processing(
    mp_start_method: str = "fork", opencv_num_threads: int = 0, distributed: bool = False
) -> None:
    """Set how processes are started and, for several ranks, one thread for each.

    Args:
        mp_start_method: ``fork``, ``spawn`` or ``forkserver``.
        opencv_num_threads: threads of OpenCV, where it was imported; 0 turns them off.
        distributed: whether there are several ranks.
    """
    multiprocessing.set_start_method(mp_start_method, force=True)
    if (opencv := sys.modules.get("cv2")) is not None:
        opencv.setNumThreads(opencv_num_threads)
    if distributed:
        for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS"):
            os.environ.setdefault(name, "1")


def tensor2imgs(
    tensor: Tensor,
    mean: tuple[float, ...] | None = None,
    std: tuple[float, ...] | None = None,
    to_bgr: bool = True,
) -> list[np.ndarray]:
    """The images ``(h, w, c)`` of a normalised batch ``(n, c, h, w)``, uint8.

    Args:
        tensor: with 1 or 3 channels.
        mean: that was subtracted, by channel.
        std: that was divided by, by channel.
        to_bgr: whether red and blue change places.
    """
    channels = tensor.size(1)
    if tensor.ndim != 4 or channels not in (1, 3):
        raise AssertionError(f"the batch must be (n, 1 or 3, h, w), got {tuple(tensor.shape)}")
    if channels == 1 and to_bgr:
        raise AssertionError("a batch of one channel has no order of colours; give to_bgr=False")
    means = torch.tensor(mean or (0.0,) * channels).view(1, -1, 1, 1)
    stds = torch.tensor(std or (1.0,) * channels).view(1, -1, 1, 1)
    if means.size(1) != channels or stds.size(1) != channels:
        raise AssertionError(f"mean and std need one number for each of {channels} channels")
    images = tensor.detach().cpu().float() * stds + means
    if to_bgr:
        images = images.flip(1)
    return [np.ascontiguousarray(image.permute(1, 2, 0).byte().numpy()) for image in images]
