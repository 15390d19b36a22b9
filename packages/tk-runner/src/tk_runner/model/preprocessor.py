"""Batches to the device of the model.

Mappings, lists and tuples come back as new ones, so that a model may change its batch;
tensors that are on the device already, and lists of numbers or words, come back as
they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import PackedSequence

from tk_registry import MODELS

from ..structures import BaseDataElement

_NEVER_MOVED = frozenset({str, bytes, int, float, bool, complex, type(None)})


@MODELS.register_module()
class BaseDataPreprocessor(nn.Module):
    """Moves the tensors of a batch to where the model is.

    It follows the model: moving the model moves the target.

    Args:
        non_blocking: copy from pinned memory without waiting for the device.
            Copies to the CPU are always waited for.
    """

    def __init__(self, non_blocking: bool | None = True) -> None:
        super().__init__()
        self.non_blocking = bool(non_blocking)
        # An empty buffer: it is moved with the model, and nothing has to tell us where it is.
        self.register_buffer("_anchor", torch.empty(0), persistent=False)
        self._anchor: Tensor

    @property
    def device(self) -> torch.device:
        """Where batches go."""
        # As an attribute it would be searched for in every table of the module, at each step.
        return self._buffers["_anchor"].device  # type: ignore[union-attr]

    def cast_data(self, data: Any) -> Any:
        """``data`` with its tensors on the device; containers keep their kind."""
        device = self._buffers["_anchor"].device  # type: ignore[union-attr]
        if type(data) is list or type(data) is tuple:  # before questions that cost more than moving
            for part in data:
                if not isinstance(part, Tensor) or part.device != device:
                    break
            else:
                return data[:] if type(data) is list else data  # is there; a list may be changed
        return _moved(data, device, self.non_blocking)

    def forward(self, data: Any, training: bool = False) -> Any:
        """The batch as the model gets it."""
        return self.cast_data(data)


def _moved(data: Any, device: torch.device, non_blocking: bool) -> Any:
    if isinstance(data, Tensor):
        return data if data.device == device else data.to(device, **_how(device, non_blocking))
    if type(data) is list or type(data) is tuple:  # before questions that cost more than the move
        return _moved_sequence(data, device, non_blocking)
    if type(data) in _NEVER_MOVED or isinstance(data, (str, bytes, nn.Module)):
        return data
    if isinstance(data, Mapping):
        return {key: _moved(value, device, non_blocking) for key, value in data.items()}
    if isinstance(data, (BaseDataElement, PackedSequence)):
        return data.to(device, **_how(device, non_blocking))  # type: ignore[arg-type]  # torch's stub
    if callable(getattr(type(data), "to", None)):
        return data.to(device)
    if isinstance(data, Sequence):
        return _moved_sequence(data, device, non_blocking)
    return data


def _how(device: torch.device, non_blocking: bool) -> Any:
    """How tensors are copied; asked only where there is something to copy."""
    return {"non_blocking": non_blocking and device.type != "cpu"}


def _moved_sequence(data: Sequence[Any], device: torch.device, non_blocking: bool) -> Any:
    # The first one is asked alone: it answers for most batches.
    if not data or (
        type(data[0]) in _NEVER_MOVED and all(type(one) in _NEVER_MOVED for one in data)
    ):
        return data
    moved = [
        one
        if isinstance(one, Tensor) and one.device == device
        else _moved(one, device, non_blocking)
        for one in data
    ]
    if type(data) is list:
        return moved
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*moved)
    return type(data)(moved)  # type: ignore[call-arg]  # as all usual sequences are made
