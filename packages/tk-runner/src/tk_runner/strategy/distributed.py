"""One process for each device, gradients averaged: distributed data parallel."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import nn

from tk_dist import get_local_device
from tk_registry import MODEL_WRAPPERS, STRATEGIES

from ..errors import InvalidSettingsError
from ..model import convert_sync_batchnorm, is_model_wrapper
from ..model.wrappers.buffers import with_known_names
from .strategy import BaseStrategy

DEFAULT_WRAPPER = "MMDistributedDataParallel"


@STRATEGIES.register_module()
class DDPStrategy(BaseStrategy):
    """Wraps the model so that ranks average their gradients.

    Args:
        model_wrapper: config of the wrapper; its ``type`` defaults to
            ``MMDistributedDataParallel``.
        sync_bn: ``"torch"`` turns batch norms into ones that synchronise.
        find_unused_parameters: passed to the wrapper.
    """

    def __init__(
        self,
        model_wrapper: Mapping[str, Any] | None = None,
        sync_bn: str | None = None,
        find_unused_parameters: bool = False,
    ) -> None:
        if sync_bn not in (None, "torch"):
            raise InvalidSettingsError(
                f"sync_bn={sync_bn!r} is not supported; use 'torch', or None to leave batch norms"
            )
        self._wrapper_cfg = model_wrapper
        self._sync_bn = sync_bn
        self._find_unused = find_unused_parameters

    @property
    def device(self) -> torch.device:
        """Where this rank computes."""
        return get_local_device()

    def place_model(self, model: nn.Module) -> nn.Module:
        """The model on this rank's device, wrapped where it has something to train."""
        if is_model_wrapper(model):
            if self._wrapper_cfg is not None:
                raise InvalidSettingsError(
                    "the model is wrapped already and model_wrapper_cfg is given; drop one of them"
                )
            return model.to(self.device)
        if self._sync_bn:
            model = convert_sync_batchnorm(model)
        model = model.to(self.device)
        if not any(parameter.requires_grad for parameter in model.parameters()):
            return model  # there are no gradients to average, and torch refuses such a model
        wrapped: nn.Module = MODEL_WRAPPERS.build(self._wrapper_arguments(model))
        return wrapped

    def _wrapper_arguments(self, model: nn.Module) -> dict[str, Any]:
        arguments = {"type": DEFAULT_WRAPPER, **(self._wrapper_cfg or {}), "module": model}
        wrapper = arguments["type"]
        kind = MODEL_WRAPPERS.get(wrapper) if isinstance(wrapper, str) else wrapper
        if isinstance(kind, type) and issubclass(kind, nn.parallel.DistributedDataParallel):
            has_index = self.device.type not in ("cpu", "mps")
            arguments.setdefault("device_ids", [self.device.index] if has_index else None)
            arguments.setdefault("broadcast_buffers", False)
            arguments.setdefault("find_unused_parameters", self._find_unused)
        return with_known_names(arguments)
