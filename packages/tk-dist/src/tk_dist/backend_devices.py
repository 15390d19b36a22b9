"""Where the messages of a backend lie: on the CPU, or on the device of an accelerator."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
import torch.distributed as torch_dist
from torch import Tensor

from .state import get_backend

if TYPE_CHECKING:
    from torch.distributed import ProcessGroup

# Where a backend's messages must lie. Backends that are not listed take CPU memory.
_DEVICE_OF_BACKEND = {
    "nccl": "cuda",
    "smddp": "cuda",
    "hccl": "npu",
    "cncl": "mlu",
    "mccl": "musa",
    "xccl": "xpu",
    "ccl": "xpu",
}


def accelerator_of(backend: str) -> str | None:
    """Return the kind of device that a backend needs, ``None`` for one that works on CPU.

    Of several, as in "cpu:gloo,cuda:nccl", the first that needs one.
    """
    names = (part.rpartition(":")[2] for part in backend.split(","))
    return next((_DEVICE_OF_BACKEND[name] for name in names if name in _DEVICE_OF_BACKEND), None)


def wire_device(data: Tensor, group: ProcessGroup | None) -> torch.device:
    """Return where a tensor is sent from: where it lies if the group can, else its own device."""
    if data.device.type != "cpu":
        for pair in str(torch_dist.get_backend_config(group)).split(","):
            kind, _, backend = pair.partition(":")
            if kind == data.device.type == _DEVICE_OF_BACKEND.get(backend):
                return data.device
    return get_comm_device(group)


def get_comm_device(group: ProcessGroup | None = None) -> torch.device:
    """Return the device on which the group's backend sends and receives.

    The current device of that kind for a backend of an accelerator, else CPU.
    """
    kind = _DEVICE_OF_BACKEND.get(get_backend(group) or "", "cpu")
    if kind == "cpu":
        return torch.device("cpu")
    return torch.device(kind, torch.get_device_module(kind).current_device())
