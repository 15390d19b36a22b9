"""Who am I among the ranks? Without a process group: rank 0 of 1.

Nothing here starts or ends a group. Where this process stands on its node is
remembered for the group that ``init_dist`` or ``launch`` made (``settle``), and
forgotten with it; before there is a group the launcher's variables answer.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ParamSpec, TypeVar, cast

import torch.distributed as torch_dist

from .environments import ENVIRONMENTS, Place
from .errors import GroupError, RankError

if TYPE_CHECKING:
    # A torch without the distributed package has no such class: for types only.
    from torch.distributed import ProcessGroup

P = ParamSpec("P")
R = TypeVar("R")


@dataclass
class _Settled:
    """What is known about this process in one default group."""

    world: ProcessGroup
    place: Place | None = None
    node: list[int] | None = None
    local_group: ProcessGroup | None = None


_settled: _Settled | None = None


# Every collective asks it, also with one process; whether torch was built with the package
# does not change, so that is not asked again.
has_group: Callable[[], bool] = (
    torch_dist.is_initialized if torch_dist.is_available() else lambda: False
)


def is_distributed() -> bool:
    """Say whether a process group exists (and torch was built with the package)."""
    return has_group()


def get_backend(group: ProcessGroup | None = None) -> str | None:
    """Return the name of the group's backend, ``None`` without a group."""
    return str(torch_dist.get_backend(group)) if is_distributed() else None


def get_world_size(group: ProcessGroup | None = None) -> int:
    """Return how many ranks the group has: 1 without one, -1 for a rank outside of it."""
    return torch_dist.get_world_size(group) if has_group() else 1


def get_rank(group: ProcessGroup | None = None) -> int:
    """Return this process's rank in the group: 0 without one, -1 outside of it."""
    return torch_dist.get_rank(group) if is_distributed() else 0


def get_dist_info(group: ProcessGroup | None = None) -> tuple[int, int]:
    """Return rank and world size."""
    return get_rank(group), get_world_size(group)


def is_main_process(group: ProcessGroup | None = None) -> bool:
    """Say whether this is rank 0 of the group."""
    return get_rank(group) == 0


def master_only(func: Callable[P, R]) -> Callable[P, R | None]:
    """Make a function run on rank 0 only; the other ranks get ``None``."""

    @functools.wraps(func)
    def run_on_rank_0(*args: P.args, **kwargs: P.kwargs) -> R | None:
        return func(*args, **kwargs) if is_main_process() else None

    return run_on_rank_0


def get_default_group() -> ProcessGroup:
    """Return the group of all ranks.

    Raises:
        GroupError: there is no process group.
    """
    if not is_distributed():
        raise GroupError(
            "there is no default process group in this process; "
            "call tk_dist.init_dist(launcher) first, or start ranks with tk_dist.launch"
        )
    return cast("ProcessGroup", torch_dist.group.WORLD)


def settle(place: Place | None, node: list[int]) -> None:
    """Remember where this process stands, for as long as the default group lives.

    Args:
        place: as the launcher tells it.
        node: the ranks on this node.
    """
    global _settled
    _settled = _Settled(get_default_group(), place, node)


def _settled_now() -> _Settled | None:
    if _settled is None or not is_distributed():
        return None
    return _settled if _settled.world is torch_dist.group.WORLD else None


def get_local_rank() -> int:
    """Return this process's rank on its node: the one source for every device choice.

    Known from ``init_dist``, ``launch`` or ``init_local_group``; before that from
    the launcher's variables (LOCAL_RANK, SLURM_LOCALID, Open MPI's and others');
    else 0. It is never computed from the global rank.
    """
    settled = _settled_now()
    if settled and settled.place:
        return settled.place.local_rank
    if settled and settled.node:
        return settled.node.index(get_rank())
    told = (kind().local_rank() for kind in ENVIRONMENTS)
    return next((local_rank for local_rank in told if local_rank is not None), 0)


def get_local_size() -> int:
    """Return how many ranks are on this node; 1 without a group.

    Raises:
        GroupError: the group was made by hand and nobody said how it is laid out.
    """
    if not is_distributed():
        return 1
    settled = _settled_now()
    return len(_node(settled))


def get_local_group() -> ProcessGroup | None:
    """Return the group of the ranks on this node; ``None`` without a group.

    It is made when it is first asked for, by all ranks of the node.

    Raises:
        GroupError: the group was made by hand and nobody said how it is laid out.
    """
    if not is_distributed():
        return None
    settled = _settled_now()
    node = _node(settled)
    assert settled is not None  # noqa: S101  # or its node would not be known
    if settled.local_group is None:
        if len(node) == get_world_size():
            settled.local_group = get_default_group()
        else:
            settled.local_group = torch_dist.new_group(node, use_local_synchronization=True)
    return settled.local_group


def _node(settled: _Settled | None) -> list[int]:
    if settled is None or settled.node is None:
        raise GroupError(
            "the ranks of this node are not known, because the process group was not made by "
            "tk_dist.init_dist; call tk_dist.init_local_group(node_rank, ranks_per_node) on every "
            "rank once"
        )
    return settled.node


def init_local_group(node_rank: int, num_gpus_per_node: int) -> None:
    """Say how the ranks are laid out over nodes, for a process group that was made by hand.

    ``init_dist`` and ``launch`` have done it already, and then nothing happens. Without a
    group nothing happens either.

    Args:
        node_rank: the position of this node among all.
        num_gpus_per_node: ranks on each node.

    Raises:
        GroupError: the ranks cannot be divided like that.
    """
    if not is_distributed():
        return
    settled = _settled_now()
    if settled and settled.node:
        return
    rank, world_size = get_dist_info()
    if num_gpus_per_node < 1 or world_size % num_gpus_per_node:
        raise GroupError(
            f"{world_size} ranks cannot be divided into nodes of {num_gpus_per_node}; "
            "give the number of ranks that each node has"
        )
    if rank // num_gpus_per_node != node_rank:
        raise GroupError(
            f"rank {rank} is on node {rank // num_gpus_per_node} when each node has "
            f"{num_gpus_per_node} ranks, but node_rank={node_rank} was given; correct one of them"
        )
    first = node_rank * num_gpus_per_node
    settle(settled.place if settled else None, list(range(first, first + num_gpus_per_node)))


def check_member(group: ProcessGroup | None, world_size: int) -> None:
    """Refuse a collective call from a rank that is not in the group."""
    if world_size < 0:
        raise GroupError(
            f"rank {get_rank()} called a collective of a group that it is not in; "
            "call it on the members only (get_rank(group) is -1 elsewhere)"
        )


def check_root(root: int, group: ProcessGroup | None, *, called: str) -> None:
    """Refuse a source or destination that is not a (global) rank of the group."""
    if not is_distributed():
        ranks = [0]
    else:
        ranks = torch_dist.get_process_group_ranks(group or get_default_group())
    if root not in ranks:
        raise RankError(
            f"{called}={root!r} is no rank of this group, whose (global) ranks are {ranks}; "
            "give one of them"
        )


def first_rank(group: ProcessGroup | None) -> int:
    """Return the global rank of the group's rank 0."""
    return torch_dist.get_process_group_ranks(group or get_default_group())[0]
