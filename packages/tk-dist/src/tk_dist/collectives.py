"""Collectives of tensors that also work with one process.

Data is moved to the device of the group's backend and back, in place where the
call is in place. Calls are checked first, alone as well: the operation, the
ranks named, and (with several ranks) that all ranks brought the same.
``src`` and ``dst`` are global ranks, also with a sub-group.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
import torch.distributed as torch_dist
from torch import Tensor

from .agreement import check_agreement, shape_text
from .backend_devices import wire_device
from .errors import DataTypeError
from .host_group import host_group
from .reduce_op import BITWISE_OPS, operation_on
from .state import check_member, check_root, get_rank, get_world_size, has_group

if TYPE_CHECKING:
    from torch.distributed import ProcessGroup

# Dtypes that backends cannot reduce go as one that they can, and come back as they were.
_WIDER = {
    torch.bool: torch.int32,
    torch.int16: torch.int32,
    torch.uint16: torch.int32,
    torch.uint32: torch.int64,
}


def all_reduce(data: Tensor, op: str = "sum", group: ProcessGroup | None = None) -> None:
    """Put the reduction over all ranks into ``data``, on every rank.

    Args:
        data: any shape and dtype, the same on all ranks; changed in place.
        op: sum, mean, product, min, max, band, bor or bxor, in any case. The mean
            of integers is cut toward zero. Booleans: sum is "any", product "all".
        group: ranks that take part; ``None`` is all of them.

    Raises:
        ReduceOpError: no such operation, or not for this dtype.
        ShapeError: ranks disagree; the text lists what each brought.
    """
    if not isinstance(data, Tensor):
        raise refuse_other_than_tensor("all_reduce", data)
    name = operation_on(op, data.dtype)
    if not has_group() or (world_size := get_world_size(group)) == 1:
        return
    check_member(group, world_size)
    check_agreement(f"all_reduce({name!r}) of {shape_text(data)}", group)
    reduce_unchecked(data, name, group)


def reduce_unchecked(data: Tensor, name: str, group: ProcessGroup | None) -> None:
    """Reduce in place; the caller has checked the operation and that ranks agree."""
    if data.numel() == 0:
        return
    if name in BITWISE_OPS:  # NCCL has none of them
        group = host_group(group)
    own = data.detach()
    wire = own.to(wire_device(own, group), _WIDER.get(own.dtype, own.dtype)).contiguous()
    odd = own.dtype is torch.bool and name == "bxor"
    send_as = "sum" if name == "mean" or odd else name
    torch_dist.all_reduce(wire, getattr(torch_dist.ReduceOp, send_as.upper()), group)
    if odd:
        wire = wire % 2
    elif name == "mean":
        exact = None if wire.is_floating_point() or wire.is_complex() else "trunc"
        wire = torch.div(wire, get_world_size(group), rounding_mode=exact, out=wire)
    if wire is not own:
        own.copy_(wire)


def all_gather(data: Tensor, group: ProcessGroup | None = None) -> list[Tensor]:
    """Return the tensors of all ranks, in rank order, on the device of ``data``.

    Args:
        data: any dtype; the shape is the same on all ranks.
        group: ranks that take part; ``None`` is all of them.

    Returns:
        One tensor for each rank. With one process ``[data]`` itself, not a copy.

    Raises:
        ShapeError: ranks disagree; the text lists what each brought.
    """
    if not isinstance(data, Tensor):
        raise refuse_other_than_tensor("all_gather", data)
    world_size = get_world_size(group)
    if world_size == 1:
        return [data]
    check_member(group, world_size)
    check_agreement(f"all_gather of {shape_text(data)}", group)
    wire = _as_bytes(data, group)
    parts = [torch.empty_like(wire) for _ in range(world_size)]
    if wire.numel():
        torch_dist.all_gather(parts, wire, group)
    return [_from_bytes(part, data) for part in parts]


def gather(data: Tensor, dst: int = 0, group: ProcessGroup | None = None) -> list[Tensor]:
    """Return the tensors of all ranks on one of them, an empty list on the others.

    Args:
        data: any dtype; the shape is the same on all ranks.
        dst: the (global) rank that receives.
        group: ranks that take part; ``None`` is all of them.

    Raises:
        RankError: ``dst`` is no rank of the group.
        ShapeError: ranks disagree; the text lists what each brought.
    """
    if not isinstance(data, Tensor):
        raise refuse_other_than_tensor("gather", data)
    world_size = get_world_size(group)
    check_member(group, world_size)
    check_root(dst, group, called="dst")
    if world_size == 1:
        return [data]
    check_agreement(f"gather(dst={dst}) of {shape_text(data)}", group)
    wire = _as_bytes(data, group)
    receives = get_rank() == dst
    parts = [torch.empty_like(wire) for _ in range(world_size)] if receives else []
    if wire.numel():
        torch_dist.gather(wire, parts or None, dst, group)
    return [_from_bytes(part, data) for part in parts]


def broadcast(data: Tensor, src: int = 0, group: ProcessGroup | None = None) -> None:
    """Put one rank's values into ``data`` on all ranks.

    Args:
        data: any dtype, contiguous or not; the shape is the same on all ranks.
        src: the (global) rank that sends.
        group: ranks that take part; ``None`` is all of them.

    Raises:
        RankError: ``src`` is no rank of the group.
        ShapeError: ranks disagree; the text lists what each brought.
    """
    if not isinstance(data, Tensor):
        raise refuse_other_than_tensor("broadcast", data)
    world_size = get_world_size(group)
    check_member(group, world_size)
    check_root(src, group, called="src")
    if world_size == 1:
        return
    check_agreement(f"broadcast(src={src}) of {shape_text(data)}", group)
    wire = _as_bytes(data, group)
    if not wire.numel():
        return
    torch_dist.broadcast(wire, src, group)
    if get_rank() != src and wire.untyped_storage().data_ptr() != data.untyped_storage().data_ptr():
        data.detach().copy_(_from_bytes(wire, data))


def refuse_other_than_tensor(called: str, data: object) -> DataTypeError:
    """Return the error for data that is no tensor."""
    return DataTypeError(
        f"{called} takes a tensor, but got a {type(data).__name__}; "
        "use torch.as_tensor on numbers and arrays, or tk_dist.all_gather_object for other objects"
    )


def _as_bytes(data: Tensor, group: ProcessGroup | None) -> Tensor:
    """Return the memory of a tensor on the group's device, flat, as bytes.

    Backends know few dtypes (gloo no complex, NCCL no bool); all know bytes.
    """
    plain = data.detach().resolve_conj().resolve_neg().to(wire_device(data, group)).contiguous()
    return plain.reshape(-1).view(torch.uint8)


def _from_bytes(wire: Tensor, like: Tensor) -> Tensor:
    return wire.view(like.dtype).reshape(like.shape).to(like.device)
