"""Which accelerator is there, and how much of its memory was used.

Asked anew in each call: visibility may change after the import, and a forked process
differs from its parent. No vendor's package is imported; torch loads those itself.
"""

from __future__ import annotations

from types import ModuleType

import torch

from .backend_devices import accelerator_of
from .errors import LauncherError

_MIB = 2**20


def get_device() -> str:
    """Return the kind of device to train on: "cuda", "mps", "npu", "xpu", "mlu", ... or "cpu"."""
    accelerator = getattr(torch, "accelerator", None)
    if accelerator is not None and accelerator.is_available():
        return str(accelerator.current_accelerator().type)
    # An accelerator that a plug-in added without torch's interface
    kinds = ("npu", "cuda", "mlu", "xpu", "mps", "dipu", "musa")
    return next((kind for kind in kinds if _is_available(kind)), "cpu")


def is_cuda_available() -> bool:
    """Say whether a CUDA (or ROCm) device can be used now."""
    return _is_available("cuda")


def is_mps_available() -> bool:
    """Say whether Apple's device can be used now."""
    return torch.backends.mps.is_available()


def is_xpu_available() -> bool:
    """Say whether an Intel device can be used now."""
    return _is_available("xpu")


def is_npu_available() -> bool:
    """Say whether an Ascend device can be used now."""
    return _is_available("npu")


def is_mlu_available() -> bool:
    """Say whether a Cambricon device can be used now."""
    return _is_available("mlu")


def is_dipu_available() -> bool:
    """Say whether a device behind DIPU can be used now."""
    return _is_available("dipu")


def is_musa_available() -> bool:
    """Say whether a Moore Threads device can be used now."""
    return _is_available("musa")


def get_max_memory(device: torch.device | str | int | None = None, *, reset: bool = False) -> int:
    """Return the most memory that tensors held on a device, in MiB.

    Args:
        device: which one; ``None`` is the current one. 0 for CPU and for devices
            that do not count.
        reset: count from now on afterwards.
    """
    kind = get_device() if device is None or isinstance(device, int) else torch.device(device).type
    return _peak_mib(kind, None if device == kind else device, reset=reset)


def get_max_cuda_memory(device: torch.device | str | int | None = None) -> int:
    """Return the peak of CUDA memory in MiB, and start the count again; 0 without CUDA."""
    return _peak_mib("cuda", device, reset=True) if is_cuda_available() else 0


def get_max_musa_memory(device: torch.device | str | int | None = None) -> int:
    """Return the peak of MUSA memory in MiB; 0 without MUSA."""
    return _peak_mib("musa", device, reset=False) if is_musa_available() else 0


def get_local_device() -> torch.device:
    """Return the device on which this rank computes, with its index where a machine has several.

    That is the current one, which ``init_dist`` and ``launch`` set to that of the local rank.
    """
    kind = get_device()
    module = _module(kind)
    if kind in ("cpu", "mps") or module is None:
        return torch.device(kind)
    return torch.device(kind, int(module.current_device()))


def choose_device(backend: str, local_rank: int) -> torch.device | None:
    """Make the local rank's device the current one: a must for the backend, or just there.

    Ranks of a backend that works on the CPU may share a device.

    Raises:
        LauncherError: the backend needs a device and there is none for this rank.
    """
    needed = accelerator_of(backend)
    if needed:
        return set_local_device(needed, local_rank)
    kind = get_device()
    module = _module(kind)
    if kind in ("cpu", "mps") or module is None:
        return None
    index = local_rank % int(module.device_count())
    module.set_device(index)
    return torch.device(kind, index)


def device_identity(device: torch.device) -> str:
    """Return what tells a device of a machine from the others, "" where it is not known."""
    module = _module(device.type)
    if module is None or not hasattr(module, "get_device_properties"):
        return ""
    return str(getattr(module.get_device_properties(device), "uuid", ""))


def set_local_device(kind: str, local_rank: int) -> torch.device:
    """Make this rank's device the current one, and return it.

    The device is the local rank's, or the only one where each rank sees just its own.

    Raises:
        LauncherError: no such device, or fewer than ranks on this node.
    """
    module = _module(kind)
    count = int(module.device_count()) if module is not None and _is_available(kind) else 0
    if module is None or count == 0:
        raise LauncherError(
            f"no {kind} device is available to this process; use backend='gloo' to run on CPU"
        )
    index = 0 if count == 1 else local_rank
    if index >= count:
        raise LauncherError(
            f"local rank {local_rank} has no {kind} device: this process sees {count}; "
            "start at most as many ranks on a node as it has devices"
        )
    module.set_device(index)
    return torch.device(kind, index)


def _module(kind: str) -> ModuleType | None:
    module = getattr(torch, kind, None)
    return module if isinstance(module, ModuleType) else None


def _is_available(kind: str) -> bool:
    if kind == "mps":
        return torch.backends.mps.is_available()
    module = _module(kind)
    return module is not None and bool(module.is_available())


def _peak_mib(kind: str, device: torch.device | str | int | None, *, reset: bool) -> int:
    module = _module(kind)
    if module is None or not hasattr(module, "max_memory_allocated"):
        return 0
    peak = int(module.max_memory_allocated(device))
    if reset:
        module.reset_peak_memory_stats(device)
    return peak // _MIB
