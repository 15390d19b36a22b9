"""Batches to the device of the model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from tk_registry import MODELS


@MODELS.register_module()
class BaseDataPreprocessor(nn.Module):
    """Moves the tensors of a batch to where the model is.

    It follows the model: moving the model moves the target. A batch that is there
    already comes back as it is.

    Args:
        non_blocking: copy from pinned memory without waiting for the device.
    """

    def __init__(self, non_blocking: bool = True) -> None:
        super().__init__()
        self.non_blocking = non_blocking
        # An empty buffer: it is moved with the model, and nothing has to tell us where it is.
        self.register_buffer("_anchor", torch.empty(0), persistent=False)

    @property
    def device(self) -> torch.device:
        """Where batches go."""
        device: torch.device = self._anchor.device  # type: ignore[union-attr, assignment]
        return device

    def cast_data(self, data: Any) -> Any:
        """``data`` with its tensors on the device; containers keep their kind."""
        return _moved(data, self.device, self.non_blocking)

    def forward(self, data: Any, training: bool = False) -> Any:
        """The batch as the model gets it."""
        return self.cast_data(data)


def _moved(data: Any, device: torch.device, non_blocking: bool) -> Any:
    if isinstance(data, Tensor):
        return data if data.device == device else data.to(device, non_blocking=non_blocking)
    if data is None or isinstance(data, (str, bytes, int, float)):
        return data
    if isinstance(data, Mapping):
        return {key: _moved(value, device, non_blocking) for key, value in data.items()}
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*(_moved(one, device, non_blocking) for one in data))
    if isinstance(data, (list, tuple)):
        return type(data)([_moved(one, device, non_blocking) for one in data])
    if hasattr(data, "to") and not isinstance(data, nn.Module):
        return data.to(device)
    return data
