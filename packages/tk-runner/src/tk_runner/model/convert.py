"""Batch norms that synchronise over ranks, and back."""

from __future__ import annotations

from torch import Tensor, nn
from torch.nn.modules.batchnorm import _BatchNorm
from torch.nn.modules.lazy import LazyModuleMixin

from .errors import ModelSettingsError
from .replace import replace_layers


class _AnyDimBatchNorm(_BatchNorm):
    """A batch norm for inputs of any number of dimensions, as ``SyncBatchNorm`` accepts them."""

    def _check_input_dim(self, input: Tensor) -> None:  # noqa: A002 - torch's own name
        if input.dim() < 2:
            raise ValueError(f"expected an input of 2 dimensions or more, got {input.dim()}")


def convert_sync_batchnorm(module: nn.Module, implementation: str = "torch") -> nn.Module:
    """``module`` with every batch norm synchronising over ranks.

    Weights, statistics and train flags are kept, and are the same tensors.

    Raises:
        ModelSettingsError: another implementation than torch's, or a layer without a
            shape.
    """
    if implementation != "torch":
        raise ModelSettingsError(f"sync_bn={implementation!r} is not supported; use 'torch'")
    return replace_layers(module, _synchronising)


def revert_sync_batchnorm(module: nn.Module) -> nn.Module:
    """``module`` with plain batch norms; weights, statistics and train flags are kept."""
    return replace_layers(module, _plain)


def _synchronising(layer: nn.Module) -> nn.Module | None:
    if not isinstance(layer, _BatchNorm) or isinstance(layer, nn.SyncBatchNorm):
        return None
    if isinstance(layer, LazyModuleMixin):
        raise ModelSettingsError(
            f"{type(layer).__name__} has no shape yet; run one batch through the model before its "
            "batch norms are converted"
        )
    return _with_content_of(layer, nn.SyncBatchNorm)


def _plain(layer: nn.Module) -> nn.Module | None:
    if not isinstance(layer, nn.SyncBatchNorm):
        return None
    return _with_content_of(layer, _AnyDimBatchNorm)


def _with_content_of(layer: _BatchNorm, kind: type[_BatchNorm]) -> _BatchNorm:
    # made on the meta device: its own tensors are thrown away
    made = kind(
        layer.num_features,
        layer.eps,
        layer.momentum,
        layer.affine,
        layer.track_running_stats,
        device="meta",
    )
    made._parameters.update(layer._parameters)
    made._buffers.update(layer._buffers)
    return made
