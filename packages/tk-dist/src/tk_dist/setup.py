"""Starting and closing the process group of a job that a launcher started.

Nothing is changed but what the group needs: no environment variable is written, no
start method set, no program run. Which device and backend are used is decided here,
when it is called, and CPU with gloo is as good as any.
"""

from __future__ import annotations

import importlib
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any

import torch.distributed as torch_dist

from .device import choose_device, get_device
from .environments import ENVIRONMENTS, Environment, Place, infer_launcher
from .errors import DataTypeError, GroupError, LauncherError
from .failing import failing_rank_first
from .objects import all_gather_object
from .rendezvous import meet, refuse_shared_device
from .state import is_distributed, settle

# Backends that torch knows only after their package has been imported.
_PLUGIN_OF_BACKEND = {"smddp": "smdistributed.dataparallel.torch.torch_smddp"}
# Where a plug-in does not tell torch.
_BACKEND_OF_PLUGIN_DEVICE = {"npu": "hccl", "mlu": "cncl", "musa": "mccl"}
_INIT_BACKENDS = ("torch", "deepspeed")


def init_dist(
    launcher: str,
    backend: str | None = None,
    init_backend: str = "torch",
    *,
    port: int | None = None,
    **kwargs: Any,
) -> None:
    """Join the process group of the job; every rank calls it once.

    Where there are accelerators, that of the local rank becomes the current one. Objects
    and barriers of all ranks go over a group on the CPU, in which a rank may wait for a
    day (TKIT_HOST_TIMEOUT_S).

    Args:
        launcher: "pytorch", "slurm" or "mpi"; ``infer_launcher()`` finds out.
        backend: ``None`` is the one of this machine's accelerator, gloo on CPU.
        init_backend: "torch", or "deepspeed", which then uses the same group.
        port: where the ranks meet; ``None`` is MASTER_PORT, else 29500.
        **kwargs: to ``torch.distributed.init_process_group``; ``timeout`` may be
            seconds.

    Raises:
        LauncherError: an unknown launcher, a backend without its device, or one that
            two ranks would share.
        MissingVariableError: a variable of the launcher is not set.
        GroupError: there is a process group already.
    """
    environment = _environment(launcher)
    if init_backend not in _INIT_BACKENDS:
        raise LauncherError(
            f"init_backend={init_backend!r} is not known; use one of: {', '.join(_INIT_BACKENDS)}"
        )
    if not torch_dist.is_available():
        raise LauncherError(
            "this torch was built without torch.distributed, so it runs as one process only; "
            "leave the launcher out, or install a torch that has it"
        )
    if is_distributed():
        raise GroupError("there is a process group already; call tk_dist.close_dist() first")
    options = _checked_options(kwargs)
    place = environment.place(port)
    backend = backend or _default_backend()
    if backend in _PLUGIN_OF_BACKEND:
        importlib.import_module(_PLUGIN_OF_BACKEND[backend])
    device = choose_device(backend, place.local_rank)
    if not options.get("store") and not options.get("init_method"):
        options["store"] = meet(place, options.get("timeout"))
    if backend == "nccl" and device is not None:
        if options.get("store"):
            refuse_shared_device(options["store"], place, device)
        options.setdefault("device_id", device)  # or it must guess the device, and warns
    torch_dist.init_process_group(backend, rank=place.rank, world_size=place.world_size, **options)
    _settle_nodes(place)
    if init_backend == "deepspeed":
        _tell_deepspeed(backend)


def close_dist() -> None:
    """End the process group; without one, do nothing. A new one may be started then."""
    if is_distributed():
        torch_dist.destroy_process_group()


@contextmanager
def distributed(
    launcher: str | None = None, backend: str | None = None, **kwargs: Any
) -> Iterator[None]:
    """Have a process group inside the block, and name the rank that fails first.

    Args:
        launcher: ``None`` finds out; "none" is one process without a group.
        backend: as in ``init_dist``.
        **kwargs: as in ``init_dist``.
    """
    launcher = infer_launcher() if launcher is None else launcher
    if launcher == "none":
        yield
        return
    init_dist(launcher, backend, **kwargs)
    with failing_rank_first():
        yield
    # Not after a failure: closing may wait for a rank that never comes. The process
    # ends then, and its group with it.
    close_dist()


def _environment(launcher: str) -> Environment:
    kinds = {kind.name: kind for kind in ENVIRONMENTS}
    if launcher in kinds:
        return kinds[launcher]()
    raise LauncherError(
        f"no launcher is called {launcher!r}; use one of {', '.join(kinds)}, or infer_launcher() "
        "to find out; for one process, do not call init_dist at all"
    )


def _checked_options(kwargs: Mapping[str, Any]) -> dict[str, Any]:
    options = dict(kwargs)
    timeout = options.get("timeout")
    if timeout is None:
        options.pop("timeout", None)
    elif isinstance(timeout, (int, float)) and not isinstance(timeout, bool):
        options["timeout"] = timedelta(seconds=timeout)
    elif not isinstance(timeout, timedelta):
        raise DataTypeError(
            f"timeout={timeout!r} is a {type(timeout).__name__}, but seconds were expected; "
            "give a number, such as timeout=1800"
        )
    return options


def _default_backend() -> str:
    kind = get_device()
    known = torch_dist.Backend.default_device_backend_map
    if kind in known:
        return str(known[kind])
    return _BACKEND_OF_PLUGIN_DEVICE.get(kind, "gloo")


def _settle_nodes(place: Place) -> None:
    """Find out who is on this node."""
    if place.local_size == place.world_size:
        settle(place, list(range(place.world_size)))
        return
    names = all_gather_object(place.node or socket.gethostname())
    node = [rank for rank, name in enumerate(names) if name == names[place.rank]]
    settle(replace(place, local_size=len(node)), node)


def _tell_deepspeed(backend: str) -> None:
    try:
        deepspeed = importlib.import_module("deepspeed")
    except ModuleNotFoundError as error:
        if error.name != "deepspeed":
            raise  # installed but broken: the real error says more
        close_dist()
        raise LauncherError(
            "init_backend='deepspeed' needs the package 'deepspeed', which is not installed; "
            "run: pip install deepspeed"
        ) from error
    deepspeed.init_distributed(dist_backend=backend, auto_mpi_discovery=False)
