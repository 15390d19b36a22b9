"""Which samples come in which order on which rank.

Both samplers have one order that all ranks share, made of permutations seeded
with seed + epoch, of which rank r takes every world-size-th entry. So the first
k entries of every rank are the first k x world size of the order, and the rest
can be dealt to another number of ranks without loss or repetition. That is what
``indices_from`` does; it keeps no state.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sized
from typing import Protocol, runtime_checkable

import torch
from torch.utils.data import Sampler

from tk_dist import get_dist_info, sync_random_seed
from tk_registry import DATA_SAMPLERS, check_values, count, one_of, value_rules

from ..errors import InvalidSettingsError


@runtime_checkable
class ResumableSampler(Protocol):
    """A sampler that can begin anywhere, for any number of ranks."""

    seed: int
    world_size: int

    def indices_from(self, epoch: int, consumed: int) -> Iterator[int]:
        """This rank's indices of ``epoch`` after ``consumed`` samples of all ranks together."""
        ...

    def count_from(self, consumed: int) -> int | None:
        """How many indices that are; ``None`` is without end."""
        ...


class _RankedSampler(Sampler[int]):
    """What both samplers know: the dataset's size, the seed, the rank."""

    def __init__(
        self,
        dataset: Sized,
        shuffle: bool = True,
        seed: int | None = None,
        *,
        rank: int | None = None,
        world_size: int | None = None,
    ) -> None:
        current_rank, current_size = get_dist_info()
        self.rank = current_rank if rank is None else rank
        self.world_size = current_size if world_size is None else world_size
        if not 0 <= self.rank < self.world_size:
            raise ValueError(
                f"rank {self.rank} is not one of the {self.world_size} ranks; "
                f"use 0 to {self.world_size - 1}"
            )
        self.dataset = dataset
        self.size = len(dataset)
        self.shuffle = shuffle
        self.seed: int = sync_random_seed() if seed is None else seed
        self.epoch = 0

    def _order(self, epoch: int) -> torch.Tensor:
        if not self.shuffle:
            return torch.arange(self.size)
        generator = torch.Generator()
        generator.manual_seed(self.seed + epoch)
        return torch.randperm(self.size, generator=generator)

    def set_epoch(self, epoch: int) -> None:
        """Take the order of that epoch from the next iteration on."""
        self.epoch = epoch


_FLAG = one_of(True, False)
_RULES = {"shuffle": _FLAG, "seed": count(0), "rank": count(0), "world_size": count(1)}


@DATA_SAMPLERS.register_module()
@value_rules(**_RULES, round_up=_FLAG)
class DefaultSampler(_RankedSampler):
    """Every sample once in an epoch, dealt to the ranks.

    Args:
        dataset: only its length is asked, once.
        shuffle: a new permutation in each epoch; else the order of the dataset.
        seed: ``None`` is one that all ranks agree on.
        round_up: repeat the first samples at the end until all ranks have
            equally many; for training. Without, nothing is repeated.
        rank: this process among ``world_size``; by default the process group's.
        world_size: number of ranks the samples are dealt to.
    """

    def __init__(
        self,
        dataset: Sized,
        shuffle: bool = True,
        seed: int | None = None,
        round_up: bool = True,
        *,
        rank: int | None = None,
        world_size: int | None = None,
    ) -> None:
        check_values(DefaultSampler, locals(), InvalidSettingsError)
        super().__init__(dataset, shuffle, seed, rank=rank, world_size=world_size)
        self.round_up = round_up

    @property
    def num_samples(self) -> int:
        """Indices of this rank in an epoch."""
        return self.count_from(0)

    @property
    def total_size(self) -> int:
        """Indices of all ranks in an epoch."""
        return self.num_samples * self.world_size if self.round_up else self.size

    def count_from(self, consumed: int) -> int:
        """How many indices this rank has after ``consumed`` samples of all ranks together."""
        rest = max(self.size - consumed, 0)
        if not self.round_up:
            rest -= self.rank
        return max(math.ceil(rest / self.world_size), 0)

    def indices_from(self, epoch: int, consumed: int) -> Iterator[int]:
        """This rank's indices of ``epoch`` after ``consumed`` samples of all ranks together."""
        rest = max(self.size - consumed, 0)
        order = self._order(epoch)
        missing = -rest % self.world_size if self.round_up and rest else 0
        if missing:
            order = torch.cat([order, order.repeat(math.ceil(missing / self.size))[:missing]])
        return iter(order[consumed + self.rank :: self.world_size].tolist())

    def __iter__(self) -> Iterator[int]:
        return self.indices_from(self.epoch, 0)

    def __len__(self) -> int:
        return self.num_samples


@DATA_SAMPLERS.register_module()
@value_rules(**_RULES)
class InfiniteSampler(_RankedSampler):
    """Passes over the dataset without end, as one stream that is dealt to the ranks.

    Every iteration begins the same stream anew. An epoch means nothing here;
    the length is this rank's share of one pass.

    Args:
        dataset: only its length is asked, once.
        shuffle: a new permutation in each pass; else the order of the dataset.
        seed: ``None`` is one that all ranks agree on.
        rank: this process among ``world_size``; by default the process group's.
        world_size: number of ranks the samples are dealt to.
    """

    def set_epoch(self, epoch: int) -> None:
        """Do nothing: the stream has no epochs."""

    def count_from(self, consumed: int) -> None:
        """``None``: the stream has no end."""

    def indices_from(self, epoch: int, consumed: int) -> Iterator[int]:
        """This rank's indices after ``consumed`` samples of all ranks together."""
        return itertools.chain.from_iterable(self._passes_from(consumed + self.rank))

    def _passes_from(self, at: int) -> Iterator[list[int]]:
        """This rank's indices in each pass over the dataset, from a place in the stream on."""
        while self.size:
            number, offset = divmod(at, self.size)
            indices: list[int] = self._order(number)[offset :: self.world_size].tolist()
            yield indices
            at += len(indices) * self.world_size

    def __iter__(self) -> Iterator[int]:
        return self.indices_from(0, 0)

    def __len__(self) -> int:
        return math.ceil(self.size / self.world_size)
