"""Where the ranks of a job meet before there is a group."""

from __future__ import annotations

import os
from datetime import timedelta
from typing import TYPE_CHECKING

import torch
import torch.distributed as torch_dist

from .device import device_identity
from .environments import Place
from .errors import LauncherError
from .peer_process import machine_name

if TYPE_CHECKING:
    from torch._C._distributed_c10d import Store

_TIMEOUT = timedelta(minutes=30)  # what torch waits by default


def meet(place: Place, timeout: timedelta | None) -> Store:
    """Return the store at which all ranks of this attempt meet.

    torchrun keeps its store when it starts the ranks again after a failure, so what the
    attempt before has written there must not be read as this one's.
    """
    timeout = timeout or _TIMEOUT
    ranks = torch_dist.rendezvous(  # type: ignore[attr-defined]  # not in torch's stub
        place.init_method or "env://", place.rank, place.world_size, timeout=timeout
    )
    store, _, _ = next(ranks)
    store.set_timeout(timeout)
    prefix = attempt_prefix(place.world_size)
    return torch_dist.PrefixStore(prefix, store) if prefix else store  # type: ignore[attr-defined]  # not in torch's stub


def attempt_prefix(world_size: int) -> str:
    """Return what tells this attempt from others; a restart may have another number of ranks."""
    attempt = os.environ.get("TORCHELASTIC_RESTART_COUNT")
    return f"attempt_{attempt}_of_{world_size}" if attempt else ""


def refuse_shared_device(store: Store, place: Place, device: torch.device) -> None:
    """Refuse a device that another rank uses as well, where the backend cannot share it.

    Raises:
        LauncherError: another rank came first to this device.
    """
    identity = device_identity(device)
    if identity and store.add(f"device/{machine_name()}/{identity}", 1) > 1:
        raise LauncherError(
            f"rank {place.rank} (local rank {place.local_rank}) would use {device}, which another "
            "rank uses already, and NCCL needs a device for each rank; start at most as many ranks "
            "on a machine as it has devices, or use backend='gloo', with which ranks may share one"
        )
