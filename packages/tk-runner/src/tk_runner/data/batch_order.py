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
    def doubts(self) -> list[str]:
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

    def doubts(self) -> list[str]:
        """None: the order is a function of seed, epoch and position."""
        return []


class IteratedOrder(BatchOrder):
    """Batches of any other batch sampler, or of a sampler without batches.

    Args:
        source: gives lists of indices, or indices.
        batch_size: what the source is said to put into a batch.
        world_size: number of ranks, which a continued run must have too.
    """

    def __init__(self, source: Iterable[Any], batch_size: int | None, world_size: int) -> None:
        self.batch_size = batch_size
        self.world_size = world_size
        self._source: Any = source
        self._sampler: Any = getattr(source, "sampler", source)
        if draws_globally(self._sampler):  # it gets a generator of ours, so it is copied
            self._sampler = copy.copy(self._sampler)
            if source is not getattr(source, "sampler", source):
                self._source = copy.copy(source)
                self._source.sampler = self._sampler
            else:
                self._source = self._sampler
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

    def doubts(self) -> list[str]:
        """A sampler of unknown kind may order the epoch as it likes."""
        found = []
        batches_known = type(self._source) is BatchSampler or self._source is self._sampler
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


def draws_globally(sampler: Any) -> bool:
    """Whether this is a sampler of torch that draws by its attribute ``generator``."""
    return type(sampler) in _GENERATOR_DRIVEN


def _order_is_known(sampler: object) -> bool:
    return draws_globally(sampler) or type(sampler) in (
        SequentialSampler,
        DistributedSampler,
        range,
        list,
        tuple,
    )
