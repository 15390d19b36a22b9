"""Where the ranks of a job meet before there is a group."""

from __future__ import annotations

import os
import secrets
import time
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
_LOOK_S = 0.02  # of rank 0, for ranks that have come


def meet(place: Place, timeout: timedelta | None) -> Store:
    """Return the store at which all ranks of this attempt meet.

    torchrun keeps its store when it starts the ranks again after a failure, so what the
    attempt before has written there must not be read as this one's.
    """
    timeout = timeout or _TIMEOUT
    ranks = torch_dist.rendezvous(  # type: ignore[attr-defined]  # not in torch's stub
        place.init_method or "env://", place.rank, place.world_size, timeout=timeout
    )
    store: Store = next(ranks)[0]
    store.set_timeout(timeout)
    if "TORCHELASTIC_RUN_ID" not in os.environ:
        return store
    token = agreed_token(store, place.rank, place.world_size)
    return torch_dist.PrefixStore(f"attempt/{token}", store)  # type: ignore[attr-defined]  # not in torch's stub


def agreed_token(store: Store, rank: int, world_size: int) -> str:
    """Return a text that the ranks of this attempt have in common, and no other attempt.

    The launchers of several machines count restarts each for itself, so it is agreed on:
    rank 0 draws it and sends it to each rank under a text that this rank has drawn, and
    again where it first saw what the attempt before left behind.
    """
    token = secrets.token_hex(8)
    if rank != 0:
        store.set(f"hello/{rank}", token)
        agreed: str = store.get(f"welcome/{token}").decode()
        store.add(f"arrived/{agreed}", 1)
        return agreed
    hellos = [f"hello/{other}" for other in range(1, world_size)]
    welcomed: set[bytes] = set()
    while hellos and store.add(f"arrived/{token}", 0) < len(hellos):
        for hello in {*store.multi_get(hellos)} - welcomed:
            store.set(f"welcome/{hello.decode()}", token)
            welcomed.add(hello)
        time.sleep(_LOOK_S)
    return token


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
