"""Shares of the data for the ranks, where a sampler or loader knows nothing of ranks.

An order that all ranks know can be dealt: rank r takes every world-size-th
entry. One that each rank may draw differently cannot, so whoever gives it has to
say that it gives each rank a share of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from .errors import LoaderSettingsError


class RankShare:
    """This rank's part of an order that is the same on all ranks.

    Args:
        source: gives indices, or lists of indices.
        rank: this process among ``world_size``.
        world_size: number of ranks.
        round_up: repeat the first entries at the end until all ranks have equally many.
    """

    def __init__(
        self, source: Iterable[Any], rank: int, world_size: int, *, round_up: bool
    ) -> None:
        self.source: Any = source
        self.rank = rank
        self.world_size = world_size
        self.round_up = round_up

    def __iter__(self) -> Iterator[Any]:
        first: list[Any] = []
        place = 0
        for entry in self.source:
            if len(first) < self.world_size:
                first.append(entry)
            if place == self.rank:
                yield entry
            place = (place + 1) % self.world_size
        if self.round_up and 0 < place <= self.rank:
            yield first[(self.rank - place) % len(first)]

    def __len__(self) -> int:
        missing = 0 if self.round_up else self.rank
        return max(-(-(len(self.source) - missing) // self.world_size), 0)


def deals_to_ranks(source: object, world_size: int) -> bool:
    """Whether something says that it gives each of so many ranks a share of its own.

    By the attribute ``world_size``, or ``num_replicas`` as torch's ``DistributedSampler`` has it.
    """
    said = (getattr(source, name, None) for name in ("world_size", "num_replicas"))
    return world_size in said


def require_shares(source: object, name: str, world_size: int) -> None:
    """Refuse what would give all ranks the same samples.

    Raises:
        LoaderSettingsError: there are several ranks, and ``source`` says nothing of them.
    """
    if world_size == 1 or deals_to_ranks(source, world_size):
        return
    says = getattr(source, "world_size", None) or getattr(source, "num_replicas", None)
    why = "says nothing of ranks" if says is None else f"was made for world_size={says}"
    raise LoaderSettingsError(
        f"{name} {why}, so each of the {world_size} ranks would read the same samples. Give a "
        "plain DataLoader or a loader's config without a sampler, which are dealt to the ranks; "
        "or let the sampler give each rank its share and say so by its attributes rank and "
        "world_size, as DistributedSampler does by rank and num_replicas"
    )
