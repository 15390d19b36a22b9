"""Do all ranks make the same call with the same shapes? Found out before data moves.

A collective whose ranks disagree hangs, or mixes up memory. So each rank sends a
digest of its call first: one message of 16 bytes. Only where the digests differ do
the ranks exchange words, and then all of them raise the same text.

On an accelerator the digest must be read back, which stalls the device; there
the check is made only when the variable ``TKIT_DIST_CHECK=1`` asks for it.
"""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING

import torch
import torch.distributed as torch_dist
from torch import Tensor

from .backend_devices import get_comm_device
from .errors import ShapeError
from .host_group import host_group
from .object_messages import all_gather_pickled

if TYPE_CHECKING:
    from torch.distributed import ProcessGroup


def shape_text(tensor: Tensor) -> str:
    """Return a tensor's dtype and shape, as ``float32 (2, 3)``."""
    return f"{str(tensor.dtype).removeprefix('torch.')} {tuple(tensor.shape)}"


def check_agreement(call: str, group: ProcessGroup | None) -> None:
    """Return once every rank of the group describes its call with the same words.

    Raises:
        ShapeError: on every rank, with what each of them brought.
    """
    device = get_comm_device(group)
    if device.type != "cpu" and os.environ.get("TKIT_DIST_CHECK") != "1":
        return
    digest = int.from_bytes(hashlib.blake2b(call.encode(), digest_size=7).digest(), "big")
    # The largest digest and the largest negated one: equal in size when all are the same.
    probe = torch.tensor([digest, -digest], dtype=torch.int64, device=device)
    torch_dist.all_reduce(probe, torch_dist.ReduceOp.MAX, group)
    largest, negated_smallest = probe.tolist()
    if largest == -negated_smallest:
        return
    calls = all_gather_pickled(call, host_group(group))
    ranks = torch_dist.get_process_group_ranks(group or torch_dist.group.WORLD)
    listed = "\n".join(f"- rank {rank}: {text}" for rank, text in zip(ranks, calls, strict=True))
    raise ShapeError(
        f"the ranks do not make the same call:\n{listed}\n"
        "make shapes, dtypes and the order of calls equal on all ranks "
        "(for data of different lengths: tk_dist.all_gather_object or tk_dist.collect_results)"
    )
