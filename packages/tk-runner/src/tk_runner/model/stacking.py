"""Tensors of several sizes as one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812 - torch's own name for it

from .errors import ModelSettingsError, ModelTypeError


def stack_batch(tensor_list: Any, pad_size_divisor: int = 1, pad_value: float = 0) -> Tensor:
    """Stack tensors, each padded at its ends to the largest.

    Args:
        tensor_list: tensors with equally many dimensions; the first of these, the
            channels, is never padded.
        pad_size_divisor: sizes grow to a multiple of it.
        pad_value: what is put into the padding.

    Raises:
        ModelTypeError: not a list of tensors.
        ModelSettingsError: it is empty, or dimensions or channels differ.
    """
    if not isinstance(tensor_list, (list, tuple)) or not all(
        isinstance(one, Tensor) for one in tensor_list
    ):
        raise ModelTypeError(f"expected a list of tensors, got {type(tensor_list).__name__}")
    if not tensor_list:
        raise ModelSettingsError("there is nothing to stack: the list of tensors is empty")
    shapes = [tuple(one.shape) for one in tensor_list]
    if len({len(shape) for shape in shapes}) > 1 or len({shape[:1] for shape in shapes}) > 1:
        raise ModelSettingsError(
            f"only tensors with equally many dimensions and channels can be stacked, got {shapes}"
        )
    largest = [max(sizes) for sizes in zip(*shapes, strict=True)]
    target = [*largest[:1], *(padded_size(size, pad_size_divisor) for size in largest[1:])]
    return torch.stack([pad_to(one, target, pad_value) for one in tensor_list])


def padded_size(size: int, divisor: int) -> int:
    """The least multiple of ``divisor`` that is not below ``size``."""
    return math.ceil(size / divisor) * divisor


def pad_to(tensor: Tensor, target: Sequence[int], value: float) -> Tensor:
    """``tensor`` with each dimension filled up at its end; itself where nothing lacks."""
    missing = [want - size for want, size in zip(target, tensor.shape, strict=True)]
    if not any(missing):
        return tensor
    pads = [pad for lack in reversed(missing) for pad in (0, lack)]
    return F.pad(tensor, pads, value=value)
