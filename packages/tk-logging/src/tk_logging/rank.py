"""Which process of a distributed run this is, found without importing torch."""

from __future__ import annotations

import os
import sys

_RANK_VARIABLES = ("RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMI_RANK")
_SIZE_VARIABLES = ("WORLD_SIZE", "SLURM_NTASKS", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE")


def current_rank() -> int:
    """Rank of this process; 0 where it is alone.

    A process group exists only where something already imported torch, so its
    absence from ``sys.modules`` means that the launcher's word counts.
    """
    dist = sys.modules.get("torch.distributed")
    if dist is not None and dist.is_available() and dist.is_initialized():
        return int(dist.get_rank())
    return _first_number(_RANK_VARIABLES, default=0)


def world_size() -> int:
    """Number of processes of the run; 1 where it is alone."""
    dist = sys.modules.get("torch.distributed")
    if dist is not None and dist.is_available() and dist.is_initialized():
        return int(dist.get_world_size())
    return _first_number(_SIZE_VARIABLES, default=1)


def device_id() -> str:
    """The device of this process as the machine numbers it, for names of files.

    The local rank, looked up in the list of visible devices where there is one; its
    entries may be names instead of numbers and are returned as they are.
    """
    local_rank = _first_number(("LOCAL_RANK",), default=0)
    for variable in ("CUDA_VISIBLE_DEVICES", "MUSA_VISIBLE_DEVICES"):
        visible = [name.strip() for name in os.environ.get(variable, "").split(",") if name.strip()]
        if local_rank < len(visible):
            return visible[local_rank]
    return str(local_rank)


def _first_number(variables: tuple[str, ...], *, default: int) -> int:
    for variable in variables:
        text = os.environ.get(variable, "")
        if text.isdigit():
            return int(text)
    return default
