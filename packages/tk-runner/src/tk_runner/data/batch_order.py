"""The lists of indices that make the batches of an epoch, from any position on.

A ``ResumableSampler`` can begin anywhere and for any number of ranks. Any other
sampler is iterated and its first batches are dropped, which reads no sample but
needs the same number of ranks and an order that the epoch decides.
"""

from __future__ import annotations

import copy
import itertools
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch.utils.data import (
    BatchSampler,
    DistributedSampler,
    RandomSampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)

from tk_dist import get_dist_info

from .rank_share import RankShare, deals_to_ranks, require_shares
from .sample_seed import mixed
from .sampler import ResumableSampler


@dataclass(frozen=True)
class Position:
    """How far an epoch has come."""

    epoch: int = 0
    consumed: int = 0  # samples that all ranks together have had
    batches: int = 0  # batches that each rank has had
    finished: bool = False


class BatchOrder(ABC):
    """Which batches come after a position."""

    name: str
    world_size: int
    batch_size: int | None

    @abstractmethod
    def batches(self, seed: int, position: Position) -> Iterator[Any]:
        """Indices of each batch of this rank after ``position``."""

    @abstractmethod
    def remaining(self, position: Position) -> int | None:
        """How many batches that are; ``None`` where nobody knows, or without end."""

    @abstractmethod
    def after(self, position: Position, batches: int = 1) -> Position:
        """The position so many batches on."""

    @abstractmethod
    def mismatch(self, world_size: int, batch_size: int | None) -> str | None:
        """Why a position of a run of that shape means nothing here."""

    @abstractmethod
    def resume_warnings(self) -> list[str]:
        """In words, what a continued run may do differently."""


class ResumableOrder(BatchOrder):
    """Batches of a ``ResumableSampler``.

    Args:
        sampler: gives the indices.
        batch_size: ``None`` for indices that are not put into batches.
        drop_last: leave out a batch that is not full.
    """

    def __init__(self, sampler: ResumableSampler, batch_size: int | None, drop_last: bool) -> None:
        self.sampler = sampler
        self.batch_size = batch_size
        self.drop_last = drop_last
        self.name = type(sampler).__name__
        self.world_size = sampler.world_size

    def batches(self, seed: int, position: Position) -> Iterator[Any]:
        """Indices of each batch of this rank after ``position``."""
        indices = self.sampler.indices_from(position.epoch, position.consumed)
        if self.batch_size is None:
            yield from indices
            return
        while batch := list(itertools.islice(indices, self.batch_size)):
            if len(batch) < self.batch_size and self.drop_last:
                return
            yield batch

    def remaining(self, position: Position) -> int | None:
        """How many batches that are; ``None`` is without end."""
        if position.finished:
            return 0
        count = self.sampler.count_from(position.consumed)
        if count is None:
            return None
        size = self.batch_size or 1
        return count // size if self.drop_last else -(-count // size)

    def after(self, position: Position, batches: int = 1) -> Position:
        """The position so many batches on."""
        left = self.remaining(position)
        return Position(
            position.epoch,
            position.consumed + batches * (self.batch_size or 1) * self.world_size,
            position.batches + batches,
            finished=left is not None and left <= batches,
        )

    def mismatch(self, world_size: int, batch_size: int | None) -> str | None:
        """``None``: the position is a number of samples, whoever had them."""
        return None

    def resume_warnings(self) -> list[str]:
        """None: the order is a function of seed, epoch and position."""
        return []


class IteratedOrder(BatchOrder):
    """Batches of any other batch sampler, or of a sampler without batches.

    Args:
        source: gives lists of indices, or indices.
        batch_size: what the source is said to put into a batch.
        world_size: number of ranks, which a continued run must have too.
        sampler: what gives the source its indices; by default the source's ``sampler``.
    """

    def __init__(
        self,
        source: Iterable[Any],
        batch_size: int | None,
        world_size: int,
        sampler: Iterable[Any] | None = None,
    ) -> None:
        self.batch_size = batch_size
        self.world_size = world_size
        self._source: Any = source
        self._sampler: Any = inner_sampler(source) if sampler is None else sampler
        self.name = type(self._sampler).__name__

    def batches(self, seed: int, position: Position) -> Iterator[Any]:
        """Indices of each batch after ``position``; the first ones are drawn and dropped."""
        for part in (self._source, self._sampler):
            if hasattr(part, "set_epoch"):
                part.set_epoch(position.epoch)
        if draws_globally(self._sampler):
            self._sampler.generator = torch.Generator()
            self._sampler.generator.manual_seed(mixed(seed, position.epoch) >> 1)
        return itertools.islice(iter(self._source), position.batches, None)

    def remaining(self, position: Position) -> int | None:
        """How many batches that are, where the source has a length."""
        if position.finished:
            return 0
        try:
            return max(len(self._source) - position.batches, 0)
        except TypeError:
            return None

    def after(self, position: Position, batches: int = 1) -> Position:
        """The position so many batches on."""
        left = self.remaining(position)
        finished = left is not None and left <= batches
        return Position(position.epoch, 0, position.batches + batches, finished=finished)

    def mismatch(self, world_size: int, batch_size: int | None) -> str | None:
        """The number of ranks and the batch size must be those of the position."""
        if (world_size, batch_size) == (self.world_size, self.batch_size):
            return None
        return (
            f"{self.name} can only be continued on {world_size} ranks with batches of "
            f"{batch_size}, not on {self.world_size} with {self.batch_size}; "
            "a DefaultSampler can be continued on any number"
        )

    def resume_warnings(self) -> list[str]:
        """A sampler of unknown kind may order the epoch as it likes."""
        found = []
        source = type(self._source)
        batches_known = source in (BatchSampler, RankShare) or self._source is self._sampler
        if not _order_is_known(self._sampler) or not batches_known:
            name = self.name if batches_known else type(self._source).__name__
            if not hasattr(self._sampler, "set_epoch") and not hasattr(self._source, "set_epoch"):
                found.append(
                    f"{name} has no set_epoch(epoch): whether it repeats its order when the run "
                    "continues inside an epoch cannot be known. Use a DefaultSampler, or give it "
                    "a set_epoch that decides the order"
                )
        if self.world_size > 1:
            found.append(
                f"{self.name} can only be continued inside an epoch on {self.world_size} ranks"
            )
        return found


_GENERATOR_DRIVEN = (RandomSampler, SubsetRandomSampler, WeightedRandomSampler)
_FIXED = (SequentialSampler, range, list, tuple)


def draws_globally(sampler: Any) -> bool:
    """Whether this is a sampler of torch that draws by its attribute ``generator``."""
    return type(sampler) in _GENERATOR_DRIVEN


def _order_is_known(sampler: object) -> bool:
    return _is_same_on_all_ranks(sampler) or type(sampler) is DistributedSampler


def _is_same_on_all_ranks(sampler: object) -> bool:
    """Whether ranks with the same seed draw the same from it, as far as its class tells."""
    return draws_globally(sampler) or type(sampler) in _FIXED


def order_of(
    sampler: Iterable[Any] | None,
    batch_sampler: Iterable[Any] | None,
    batch_size: int | None,
    drop_last: bool,
    *,
    round_up: bool,
) -> BatchOrder:
    """The batches of this rank that a loader's sampler and settings mean.

    Raises:
        LoaderSettingsError: several ranks would read the same samples.
    """
    if type(batch_sampler) is BatchSampler:
        sampler, batch_size = batch_sampler.sampler, batch_sampler.batch_size
        drop_last, batch_sampler = batch_sampler.drop_last, None
    rank, world_size = get_dist_info()
    if batch_sampler is None and is_resumable(sampler):
        require_shares(sampler, type(sampler).__name__, world_size)
        return ResumableOrder(sampler, batch_size, drop_last)  # type: ignore[arg-type]
    given: Any = sampler if batch_sampler is None else batch_sampler
    source = _seedable(given)
    inner = inner_sampler(source)
    if world_size > 1 and not deals_to_ranks(inner, world_size):
        if not _is_same_on_all_ranks(source):
            require_shares(source, type(given).__name__, world_size)
        source = RankShare(source, rank, world_size, round_up=round_up)
    if batch_sampler is None and batch_size is not None:
        source = BatchSampler(source, batch_size, drop_last)
    size = getattr(batch_sampler, "batch_size", None) if batch_sampler is not None else batch_size
    return IteratedOrder(source, size, world_size, inner)


def _seedable(source: Any) -> Any:
    """The source, copied where its sampler will be given a generator of ours."""
    sampler = inner_sampler(source)
    if not draws_globally(sampler):
        return source
    if source is sampler:
        return copy.copy(sampler)
    source = copy.copy(source)
    source.sampler = copy.copy(sampler)
    return source


def inner_sampler(batch_sampler: Iterable[Any]) -> Any:
    """What gives a batch sampler its indices; itself where it has no ``sampler``."""
    return getattr(batch_sampler, "sampler", batch_sampler)


def is_resumable(sampler: object) -> bool:
    """Whether ``indices_from`` is what iterating gives: not where a subclass iterates otherwise."""
    if not isinstance(sampler, ResumableSampler):
        return False
    for kind in type(sampler).__mro__:
        if "__iter__" in vars(kind):
            return "indices_from" in vars(kind)
    return False
