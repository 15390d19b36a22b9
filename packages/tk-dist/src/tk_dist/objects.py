"""Collectives of picklable objects. Only for ranks that trust each other: pickle runs code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .errors import DataTypeError
from .host_group import host_group
from .object_messages import all_gather_pickled, broadcast_pickled, gather_pickled
from .state import check_member, check_root, get_world_size

if TYPE_CHECKING:
    from torch.distributed import ProcessGroup


def broadcast_object_list(data: list[Any], src: int = 0, group: ProcessGroup | None = None) -> None:
    """Replace the entries of a list by those of one rank, in place, on all ranks.

    Args:
        data: what it holds matters on ``src`` only; its length may differ.
        src: the (global) rank that sends.
        group: ranks that take part; ``None`` is all of them.

    Raises:
        DataTypeError: ``data`` is not a list.
        ResultsError: an entry cannot be pickled; raised on all ranks.
        RankError: ``src`` is no rank of the group.
    """
    if not isinstance(data, list):
        raise DataTypeError(
            f"broadcast_object_list fills a list, but got a {type(data).__name__}; "
            "put the object into a list of one: data = [obj]"
        )
    world_size = get_world_size(group)
    check_member(group, world_size)
    check_root(src, group, called="src")
    if world_size > 1:
        data[:] = broadcast_pickled(data, src, host_group(group))


def all_gather_object(data: Any, group: ProcessGroup | None = None) -> list[Any]:
    """Return the objects of all ranks, in rank order; with one process ``[data]`` itself.

    Of several ranks, tensors of an accelerator arrive on the CPU.

    Raises:
        ResultsError: a rank's object cannot be pickled; raised on all ranks.
    """
    world_size = get_world_size(group)
    if world_size == 1:
        return [data]
    check_member(group, world_size)
    return all_gather_pickled(data, host_group(group))


def gather_object(data: Any, dst: int = 0, group: ProcessGroup | None = None) -> list[Any] | None:
    """Return the objects of all ranks on one of them, ``None`` on the others.

    Args:
        data: anything that can be pickled; arrays and tensors travel without copies, and
            those of an accelerator arrive on the CPU.
        dst: the (global) rank that receives.
        group: ranks that take part; ``None`` is all of them.

    Raises:
        RankError: ``dst`` is no rank of the group.
        ResultsError: a rank's object cannot be pickled; raised on all ranks.
    """
    world_size = get_world_size(group)
    check_member(group, world_size)
    check_root(dst, group, called="dst")
    return [data] if world_size == 1 else gather_pickled(data, dst, host_group(group))
