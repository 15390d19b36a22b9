"""Many tensors in few messages.

Tensors of one dtype and device are laid side by side, reduced together and written
back; dtypes are never mixed, so nothing is promoted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from .agreement import check_agreement, shape_text
from .collectives import reduce_unchecked, refuse_other_than_tensor
from .errors import DataTypeError
from .reduce_op import operation_on, reduce_op_name
from .state import check_member, get_world_size, has_group

if TYPE_CHECKING:
    from torch.distributed import ProcessGroup


def all_reduce_dict(
    data: dict[str, Tensor], op: str = "sum", group: ProcessGroup | None = None
) -> None:
    """Reduce every entry of a dict over all ranks, in one message for each dtype.

    Args:
        data: the same keys and shapes on all ranks, in any order; the entries are
            replaced by new tensors, the tensors themselves stay as they are.
        op: as in ``all_reduce``.
        group: ranks that take part; ``None`` is all of them.

    Raises:
        DataTypeError: not a dict of tensors.
        ReduceOpError: no such operation, or not for a dtype.
        ShapeError: ranks disagree on keys, shapes or dtypes; the text lists them.
    """
    if not isinstance(data, dict):
        raise DataTypeError(
            f"all_reduce_dict takes a dict of tensors, but got a {type(data).__name__}; "
            "use all_reduce for one tensor and all_reduce_params for many"
        )
    if not has_group() and _all_fit(data, op):
        return
    keys = sorted(data)
    tensors = [data[key] for key in keys]
    name = _checked(tensors, op, "all_reduce_dict", keys, group)
    if name:
        copies = [tensor.detach().clone() for tensor in tensors]
        _reduce_buckets(copies, None, name, group)
        data.update(zip(keys, copies, strict=True))


def all_reduce_params(
    params: Iterable[Tensor],
    coalesce: bool = True,
    bucket_size_mb: int = -1,
    op: str = "sum",
    group: ProcessGroup | None = None,
) -> None:
    """Reduce tensors (parameters, gradients) over all ranks, in place.

    Args:
        params: the same shapes in the same order on all ranks; a generator is fine.
        coalesce: lay tensors of one dtype and device together, or reduce them singly.
        bucket_size_mb: the most of one message, in MiB; -1 is without limit.
        op: as in ``all_reduce``.
        group: ranks that take part; ``None`` is all of them.

    Raises:
        ReduceOpError: no such operation, or not for a dtype.
        ShapeError: ranks disagree; the text lists what each brought.
    """
    tensors = list(params)
    name = _checked(tensors, op, "all_reduce_params", None, group)
    if not name:
        return
    if coalesce:
        limit = bucket_size_mb * 2**20 if bucket_size_mb > 0 else None
        _reduce_buckets([tensor.detach() for tensor in tensors], limit, name, group)
    else:
        for tensor in tensors:
            reduce_unchecked(tensor, name, group)


def _all_fit(data: dict[str, Tensor], op: str) -> bool:
    """Say quickly whether all entries are plain tensors that the operation fits.

    Raises:
        ReduceOpError: it does not fit a dtype.
    """
    if {*map(type, data.values())} != _PLAIN:
        return False
    if op != "sum":  # which fits every dtype
        for tensor in data.values():
            operation_on(op, tensor.dtype)
    return True


_PLAIN = {Tensor}


def _checked(
    tensors: list[Tensor],
    op: str,
    called: str,
    keys: list[str] | None,
    group: ProcessGroup | None,
) -> str:
    """Return the operation's name, "" where there is nobody to reduce with."""
    name = reduce_op_name(op)
    for tensor in tensors:
        if not isinstance(tensor, Tensor):
            raise refuse_other_than_tensor(called, tensor)
        operation_on(op, tensor.dtype)
    world_size = get_world_size(group)
    if world_size == 1:
        return ""
    check_member(group, world_size)
    names = keys if keys is not None else [str(index) for index in range(len(tensors))]
    shapes = [f"{key}: {shape_text(tensor)}" for key, tensor in zip(names, tensors, strict=True)]
    check_agreement(f"{called}({name!r}) of {len(tensors)} tensors: {', '.join(shapes)}", group)
    return name if tensors else ""


def _reduce_buckets(
    tensors: list[Tensor], limit: int | None, name: str, group: ProcessGroup | None
) -> None:
    for bucket in _buckets(tensors, limit):
        flat = torch.cat([tensor.reshape(-1) for tensor in bucket])
        reduce_unchecked(flat, name, group)
        parts = torch.split(flat, [tensor.numel() for tensor in bucket])
        for tensor, part in zip(bucket, parts, strict=True):
            tensor.copy_(part.view_as(tensor))


def _buckets(tensors: list[Tensor], limit: int | None) -> Iterator[list[Tensor]]:
    """Yield tensors of one dtype and device, at most ``limit`` bytes (or one tensor)."""
    kinds: dict[tuple[torch.dtype, torch.device], list[Tensor]] = {}
    for tensor in tensors:
        kinds.setdefault((tensor.dtype, tensor.device), []).append(tensor)
    for same in kinds.values():
        bucket: list[Tensor] = []
        size = 0
        for tensor in same:
            if limit is not None and bucket and size + tensor.nbytes > limit:
                yield bucket
                bucket, size = [], 0
            bucket.append(tensor)
            size += tensor.nbytes
        yield bucket
