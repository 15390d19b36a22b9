"""A number that any rank may raise, and that all ranks see at the same look.

Up to 64 ranks every look shares the numbers of the look before, by a reduction in the
background. With more, that would cost a connection between any two ranks and a message of
all of them in each look. There rank 0 says at every k-th look, through the store of the
group, how the next k looks end; so a look in between costs nothing, and a number is seen
at most 2 k looks after it was raised.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import torch
import torch.distributed as torch_dist

from .side_store import open_side_store
from .state import get_dist_info

if TYPE_CHECKING:
    from torch._C._distributed_c10d import Store

RANKS_THAT_REDUCE = 64
"""The most ranks that look in every step; k is the world size divided by it."""


class SharedFlag:
    """The highest number that a rank has raised, known to each at the same look.

    All ranks open it together, look equally often and close it together; with one process
    it is just the number.

        flag = SharedFlag()
        flag.open()
        for batch in loader:
            train_step(model, batch)
            if flag.look(wants_to_stop):
                break
        flag.close(in_peace=True)
    """

    def __init__(self) -> None:
        self._way: _Way | None = None

    @property
    def is_shared(self) -> bool:
        """Whether other ranks take part."""
        return self._way is not None

    def open(self) -> None:
        """Begin to share."""
        rank, world_size = get_dist_info()
        if world_size == 1:
            return
        if world_size <= RANKS_THAT_REDUCE:
            self._way = _Reduced()
            return
        store = open_side_store("flag")
        if store is not None:
            self._way = _Announced(store, rank, world_size)

    def close(self, *, in_peace: bool) -> None:
        """Stop sharing; after an error the other ranks may not be there to wait for."""
        if self._way is not None and in_peace:
            self._way.close()
        self._way = None

    @property
    def all_are_done(self) -> bool:
        """Whether no rank had work left when the ranks last agreed."""
        return self._way is None or self._way.all_are_done

    def look(self, value: int, *, is_done: bool = False) -> int:
        """Bring this rank's number, and return the one that all ranks agree on.

        Args:
            value: 0 to 255; 0 where there is nothing to say.
            is_done: this rank has no work left. It looks twice, and then on until
                ``all_are_done``, since what a look tells is about the one before.
        """
        return value if self._way is None else self._way.look(value, is_done=is_done)


def looks_between(world_size: int) -> int:
    """Return how many looks of a rank cost one request to the store."""
    return -(-world_size // RANKS_THAT_REDUCE)


class _Way(Protocol):
    """How the ranks share."""

    @property
    def all_are_done(self) -> bool:
        """As ``SharedFlag.all_are_done``."""

    def look(self, value: int, *, is_done: bool) -> int:
        """As ``SharedFlag.look``."""

    def close(self) -> None:
        """Let go of what is held."""


class _Reduced:
    """Each look takes the maximum of the look before, which has travelled since then."""

    def __init__(self) -> None:
        self._group = torch_dist.new_group(backend="gloo")
        self._work: Any = None
        self._bytes = bytearray(2)
        self.all_are_done = True

    def look(self, value: int, *, is_done: bool) -> int:
        agreed = 0
        if self._work is not None:
            self._work.wait()
            agreed = self._bytes[0]
            self.all_are_done = not self._bytes[1]
        if agreed:
            self._work = None  # every rank ends at this look
            return agreed
        self._bytes = bytearray([value, not is_done])
        flag = torch.frombuffer(self._bytes, dtype=torch.uint8)
        maximum = torch_dist.ReduceOp.MAX
        self._work = torch_dist.all_reduce(flag, op=maximum, group=self._group, async_op=True)
        return agreed

    def close(self) -> None:
        if self._work is not None:
            self._work.wait()
        torch_dist.destroy_process_group(self._group)


class _Announced:
    """Rank 0 announces for each period of looks, one period ahead, the number that ends it.

    A rank that is done counts itself; nobody is done a second time before all were. So as
    many times as all ranks were done, the count has grown by their number.
    """

    def __init__(self, store: Store, rank: int, world_size: int) -> None:
        self._store = store
        self._rank = rank
        self._world_size = world_size
        self._length = looks_between(world_size)  # of a period
        self._looks = 0
        self._raised = 0
        self._next = (0, 0)  # what rank 0 has announced for the period that comes
        self._is_done = False
        self._times_done = 0
        self._times_all_done = 0

    @property
    def all_are_done(self) -> bool:
        return self._times_all_done >= self._times_done

    def look(self, value: int, *, is_done: bool) -> int:
        period, position = divmod(self._looks, self._length)
        self._looks += 1
        self._tell(value, is_done=is_done)
        if position:
            return 0
        agreed, self._times_all_done = self._next
        if self._rank == 0:
            self._next = max(value, self._raised_by_others()), self._count_done()
            self._store.set(f"period/{period + 1}", "{} {}".format(*self._next))
        elif period:
            text = self._store.get(f"period/{period}").decode()
            agreed, self._times_all_done = map(int, text.split())
        return agreed

    def _tell(self, value: int, *, is_done: bool) -> None:
        if self._rank != 0 and value > self._raised:
            self._raised = value
            self._store.set("raised", str(value))
        # done again, without work between, where all were done: nothing came to this rank
        if is_done and (not self._is_done or self.all_are_done):
            self._times_done += 1
            self._store.add("done", 1)
        self._is_done = is_done

    def _raised_by_others(self) -> int:
        return int(self._store.get("raised")) if self._store.check(["raised"]) else 0

    def _count_done(self) -> int:
        return int(self._store.add("done", 0)) // self._world_size

    def close(self) -> None:
        """Nothing is held."""
