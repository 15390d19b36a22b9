"""A group on the CPU for what is not training: objects, barriers, and waiting for rank 0.

A backend of an accelerator ends the run when a rank waits for long, and its messages need
memory of the device. Where the default group is of that kind, a group of gloo over the same
ranks does the rest, with a time limit of its own: whoever died is noticed by other means
(``failing_rank_first``), so waiting may take long. It is made when it is first used.
"""

from __future__ import annotations

import os
from datetime import timedelta
from typing import TYPE_CHECKING

import torch.distributed as torch_dist

from .backend_devices import accelerator_of
from .errors import LauncherError
from .state import get_backend, is_distributed

if TYPE_CHECKING:
    from torch.distributed import ProcessGroup

TIMEOUT_VARIABLE = "TKIT_HOST_TIMEOUT_S"
_TIMEOUT_S = 24 * 3600.0

_made: tuple[ProcessGroup, ProcessGroup] | None = None


def host_group(group: ProcessGroup | None) -> ProcessGroup | None:
    """Return the group for messages that lie on the CPU; every rank of the group calls it.

    For the group of all ranks that is one of gloo; a group that the caller made is used
    as it is.
    """
    global _made
    world = torch_dist.group.WORLD
    if world is None or group not in (None, world) or not accelerator_of(get_backend() or ""):
        return group
    if _made is None or _made[0] is not world:
        timeout = timedelta(seconds=_timeout_s())
        _made = world, torch_dist.new_group(backend="gloo", timeout=timeout)
    return _made[1]


def barrier(group: ProcessGroup | None = None) -> None:
    """Wait until every rank of the group is here; without a group, do nothing."""
    if is_distributed():
        torch_dist.barrier(host_group(group))


def _timeout_s() -> float:
    text = os.environ.get(TIMEOUT_VARIABLE) or str(_TIMEOUT_S)
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if seconds <= 0:
        raise LauncherError(f"{TIMEOUT_VARIABLE}={text} is not a time; give seconds, such as 86400")
    return seconds
