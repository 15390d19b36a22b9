"""Mixed precision as a context, for every kind of device that torch knows."""

from __future__ import annotations

import torch
from torch.optim import Optimizer

from tk_dist import get_device
from tk_registry import did_you_mean

from .errors import InvalidSettingError, InvalidTypeError

_DTYPES = {
    "float16": torch.float16,
    "bfloat16": torch.bfloat16,
    "float32": torch.float32,
    "float64": torch.float64,
}
FULL_PRECISION = (torch.float32, torch.float64)


def autocast(
    device_type: str | None = None,
    dtype: torch.dtype | str | None = None,
    enabled: bool = True,
    cache_enabled: bool | None = None,
) -> torch.autocast:
    """``torch.autocast`` for the device of this process.

    Args:
        device_type: ``cuda``, ``cpu``, ``mps``, ...; None is the accelerator
            that is there, else the CPU.
        dtype: None is torch's choice for the device: float16 on CUDA, bfloat16
            on the CPU. Full precision (float32, float64) switches it off.
        enabled: False makes it do nothing.
        cache_enabled: False computes the low-precision copy of a weight anew
            for each use; None is torch's default, which keeps it.

    Raises:
        RuntimeError: torch has no mixed precision for the device.
    """
    kind = (get_device() if device_type is None else device_type).partition(":")[0]
    chosen = autocast_dtype(dtype, kind)
    if chosen in FULL_PRECISION:
        enabled, chosen = False, torch.get_autocast_dtype(kind)
    return torch.autocast(kind, dtype=chosen, enabled=enabled, cache_enabled=cache_enabled)


def autocast_dtype(dtype: torch.dtype | str | None, device_type: str) -> torch.dtype:
    """The dtype that a setting means on a kind of device."""
    if dtype is None:
        return torch.get_autocast_dtype(device_type)
    if isinstance(dtype, torch.dtype):
        return dtype
    if not isinstance(dtype, str):
        raise InvalidTypeError(
            f"dtype={dtype!r}: give a torch dtype or a name such as 'bfloat16', or None"
        )
    if dtype not in _DTYPES:
        raise InvalidSettingError(
            f"dtype={dtype!r} is no dtype of autocast; {did_you_mean(dtype, _DTYPES)}"
        )
    return _DTYPES[dtype]


def device_type_of(optimizer: Optimizer) -> str:
    """The kind of device that an optimizer's parameters are on."""
    for group in optimizer.param_groups:
        for param in group["params"]:
            kind = str(param.device.type)
            return get_device() if kind == "meta" else kind  # a model that is still to be placed
    return get_device()
