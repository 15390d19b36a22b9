from __future__ import annotations

from typing import Any

import pytest
import torch
from counted_samples import CountedSamples
from torch.utils.data import (
    BatchSampler,
    DataLoader,
    DistributedSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)

from tk_dist import get_rank, launch
from tk_runner.data import DefaultSampler, LoaderSettingsError, as_stateful
from tk_runner.data.rank_share import RankShare

FORKED: dict[str, Any] = {"start_method": "fork", "timeout_s": 60}


@pytest.mark.parametrize(
    ("round_up", "expected"),
    [(False, [[0, 3, 6], [1, 4], [2, 5]]), (True, [[0, 3, 6], [1, 4, 0], [2, 5, 1]])],
)
def test_every_entry_goes_to_one_rank(round_up: bool, expected: list[list[int]]) -> None:
    shares = [RankShare(range(7), rank, 3, round_up=round_up) for rank in range(3)]

    assert [list(share) for share in shares] == expected
    assert [len(share) for share in shares] == [len(entries) for entries in expected]


def test_fewer_entries_than_ranks_are_repeated_as_often_as_it_takes() -> None:
    assert [list(RankShare([7, 8], rank, 5, round_up=True)) for rank in range(5)] == [
        [7],
        [8],
        [7],
        [8],
        [7],
    ]


SAMPLERS = {
    "sequential": lambda: {"sampler": SequentialSampler(range(16))},
    "subset": lambda: {"sampler": SubsetRandomSampler(range(16))},
    "permutation": lambda: {"sampler": RandomSampler(range(16))},
    "list": lambda: {"sampler": list(range(16))},
    "distributed": lambda: {"sampler": DistributedSampler(range(16))},
    "batches": lambda: {"batch_sampler": [[at, at + 1] for at in range(0, 16, 2)]},
    "torch's batches": lambda: {
        "batch_sampler": BatchSampler(SubsetRandomSampler(range(16)), 2, False)
    },
}


@pytest.mark.parametrize("kind", SAMPLERS)
def test_ranks_read_disjoint_shares_whatever_the_sampler(kind: str) -> None:
    def read(rank: int) -> list[int]:
        torch.manual_seed(get_rank())  # generators may differ
        options = SAMPLERS[kind]()
        loader = as_stateful(DataLoader(CountedSamples(16), **options), seed=5, round_up=True)
        return [index for batch in loader.batches() for index in batch.indices or ()]

    first, second = launch(read, 2, 0, **FORKED)

    assert len(first) == len(second) == 8
    assert sorted(first + second) == list(range(16))


def test_samples_drawn_with_replacement_are_other_ones_on_each_rank() -> None:
    def read(rank: int) -> list[int]:
        sampler = WeightedRandomSampler([1.0] * 99, 8)
        loader = as_stateful(DataLoader(CountedSamples(99), sampler=sampler), seed=5)
        return [index for batch in loader.batches() for index in batch.indices or ()]

    first, second = launch(read, 2, 0, **FORKED)

    assert len(first) == len(second) == 4
    assert first != second


class Unknown(Sampler[int]):
    def __iter__(self) -> Any:
        return iter([0, 1])

    def __len__(self) -> int:
        return 2


class OwnLoader(DataLoader[Any]):
    pass


def _unknown() -> Any:
    return DataLoader(CountedSamples(4), sampler=Unknown())


def _subclass() -> Any:
    return OwnLoader(CountedSamples(4))


def _made_for_one() -> Any:
    sampler = DefaultSampler(range(4), seed=1, rank=0, world_size=1)
    return DataLoader(CountedSamples(4), sampler=sampler)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (_unknown, "Unknown says nothing of ranks, so each of the 2 ranks would read the same"),
        (_subclass, "OwnLoader over CountedSamples says nothing of ranks"),
        (_made_for_one, "DefaultSampler was made for world_size=1"),
    ],
)
def test_a_loader_whose_ranks_would_read_the_same_is_refused_by_name(make: Any, text: str) -> None:
    def attempt(rank: int) -> str:
        with pytest.raises(LoaderSettingsError) as caught:
            as_stateful(make())
        return str(caught.value)

    for told in launch(attempt, 2, 0, **FORKED):
        assert text in told


def test_a_subclass_whose_sampler_deals_to_the_ranks_is_taken() -> None:
    def read(rank: int) -> list[int]:
        data = CountedSamples(4)
        loader = OwnLoader(data, sampler=DistributedSampler(data, shuffle=False))  # type: ignore[var-annotated]
        return [int(batch[0][0]) for batch in as_stateful(loader)]

    assert launch(read, 2, 0, **FORKED) == [[0, 2], [1, 3]]
