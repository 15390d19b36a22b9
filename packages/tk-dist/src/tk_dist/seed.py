"""One random seed for all ranks, drawn without touching anybody's generator."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

import torch

from .collectives import broadcast
from .state import first_rank, get_world_size

if TYPE_CHECKING:
    from torch.distributed import ProcessGroup


def sync_random_seed(group: ProcessGroup | None = None) -> int:
    """Return a number in ``[0, 2**31)`` that is new in each call and the same on all ranks.

    It comes from the operating system, so no generator of Python, NumPy or torch
    moves on, and seeding those does not repeat it.
    """
    seed = torch.tensor(secrets.randbelow(2**31), dtype=torch.int64)
    if get_world_size(group) > 1:
        broadcast(seed, first_rank(group), group)
    return int(seed)
