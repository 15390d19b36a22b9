"""Batch norms that synchronise over ranks, and back."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.modules.batchnorm import _BatchNorm

from ..errors import InvalidSettingsError


class _AnyDimBatchNorm(_BatchNorm):
    """A batch norm for inputs of any number of dimensions, as ``SyncBatchNorm`` accepts them."""

    def _check_input_dim(self, input: Tensor) -> None:  # noqa: A002 - torch's own name
        if input.dim() < 2:
            raise ValueError(f"expected an input of 2 dimensions or more, got {input.dim()}")


def convert_sync_batchnorm(module: nn.Module, implementation: str = "torch") -> nn.Module:
    """``module`` with every batch norm synchronising over ranks."""
    if implementation != "torch":
        raise InvalidSettingsError(f"sync_bn={implementation!r} is not supported; use 'torch'")
    converted: nn.Module = nn.SyncBatchNorm.convert_sync_batchnorm(module)
    for new, old in zip(converted.modules(), module.modules(), strict=False):
        new.training = old.training
    return converted


def revert_sync_batchnorm(module: nn.Module) -> nn.Module:
    """``module`` with plain batch norms; weights, statistics and the train flag are kept."""
    if isinstance(module, nn.SyncBatchNorm):
        return _plain(module)
    for name, child in module.named_children():
        reverted = revert_sync_batchnorm(child)
        if reverted is not child:
            setattr(module, name, reverted)
    return module


def _plain(module: nn.SyncBatchNorm) -> _BatchNorm:
    plain = _AnyDimBatchNorm(
        module.num_features,
        module.eps,
        module.momentum,
        module.affine,
        module.track_running_stats,
    )
    with torch.no_grad():
        plain.weight, plain.bias = module.weight, module.bias
    plain.running_mean, plain.running_var = module.running_mean, module.running_var
    plain.num_batches_tracked = module.num_batches_tracked
    plain.training = module.training
    return plain
