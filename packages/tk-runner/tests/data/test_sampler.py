from __future__ import annotations

import itertools

import pytest
import torch

from tk_dist import launch
from tk_registry import DATA_SAMPLERS
from tk_runner.data import DefaultSampler, InfiniteSampler, ResumableSampler


def ranks(size: int, world: int, **kwargs) -> list[DefaultSampler]:
    return [
        DefaultSampler(range(size), seed=5, rank=rank, world_size=world, **kwargs)
        for rank in range(world)
    ]


def interleaved(lists: list[list[int]]) -> list[int]:
    rounds = itertools.zip_longest(*lists)
    return [index for entries in rounds for index in entries if index is not None]


# ---- DefaultSampler


@pytest.mark.parametrize("size", [0, 1, 3, 4, 5, 17])
@pytest.mark.parametrize("shuffle", [True, False])
def test_without_rounding_up_every_sample_comes_once(size: int, shuffle: bool) -> None:
    shares = [list(sampler) for sampler in ranks(size, 4, shuffle=shuffle, round_up=False)]

    assert sorted(itertools.chain(*shares)) == list(range(size))
    assert [len(s) for s in ranks(size, 4, round_up=False)] == [len(share) for share in shares]


@pytest.mark.parametrize("size", [0, 1, 3, 4, 5, 17])
def test_rounding_up_makes_all_ranks_equal_and_loses_none(size: int) -> None:
    samplers = ranks(size, 4)
    shares = [list(sampler) for sampler in samplers]

    assert {len(share) for share in shares} == {-(-size // 4)}
    assert set(itertools.chain(*shares)) == set(range(size))
    assert {len(sampler) for sampler in samplers} == {-(-size // 4)}
    assert samplers[0].total_size == 4 * -(-size // 4)


def test_without_shuffling_the_order_is_that_of_the_dataset() -> None:
    shares = [list(sampler) for sampler in ranks(10, 3, shuffle=False)]

    assert interleaved(shares) == [*range(10), 0, 1]


def test_the_order_is_a_permutation_of_seed_and_epoch() -> None:
    (sampler,) = ranks(20, 1)
    first, again = list(sampler), list(sampler)
    sampler.set_epoch(1)
    second = list(sampler)

    generator = torch.Generator()
    generator.manual_seed(5 + 1)
    assert first == again
    assert second == torch.randperm(20, generator=generator).tolist()
    assert first != second


@pytest.mark.parametrize("before", [1, 2, 4])
@pytest.mark.parametrize("after", [1, 2, 3, 4])
@pytest.mark.parametrize("round_up", [True, False])
def test_the_rest_can_be_dealt_to_another_number_of_ranks(
    before: int, after: int, round_up: bool
) -> None:
    used = [list(sampler)[:3] for sampler in ranks(30, before, round_up=round_up)]
    rest = [
        list(sampler.indices_from(0, 3 * before)) for sampler in ranks(30, after, round_up=round_up)
    ]
    counts = [sampler.count_from(3 * before) for sampler in ranks(30, after, round_up=round_up)]

    together = interleaved(used) + interleaved(rest)
    assert together[:30] == list(ranks(30, 1)[0])
    assert set(together[30:]) <= set(together[:30])
    assert counts == [len(share) for share in rest]


def test_the_seed_is_agreed_by_all_ranks() -> None:
    def order() -> tuple[int, int, list[int]]:
        sampler = DefaultSampler(range(6))
        return sampler.rank, sampler.world_size, list(sampler)

    first, second = launch(order, 2, timeout_s=60)

    assert (first[:2], second[:2]) == ((0, 2), (1, 2))
    assert sorted(first[2] + second[2]) == list(range(6))


def test_a_rank_outside_is_refused() -> None:
    with pytest.raises(ValueError, match="rank 2 is not one of the 2 ranks"):
        DefaultSampler(range(3), seed=1, rank=2, world_size=2)


# ---- InfiniteSampler


def stream(world: int, consumed: int, count: int, size: int = 7, shuffle: bool = True) -> list[int]:
    return interleaved(
        [
            list(
                itertools.islice(
                    InfiniteSampler(
                        range(size), shuffle, seed=5, rank=rank, world_size=world
                    ).indices_from(0, consumed),
                    count,
                )
            )
            for rank in range(world)
        ]
    )


def test_every_pass_is_a_permutation_of_its_own() -> None:
    passes = stream(1, 0, 21)

    assert [sorted(passes[at : at + 7]) for at in (0, 7, 14)] == [list(range(7))] * 3
    assert passes[:7] != passes[7:14]


def test_without_shuffling_the_stream_goes_round() -> None:
    assert stream(1, 0, 9, shuffle=False) == [0, 1, 2, 3, 4, 5, 6, 0, 1]


@pytest.mark.parametrize("world", [2, 3, 5, 10])
def test_all_ranks_share_one_stream(world: int) -> None:
    assert stream(world, 0, 6) == stream(1, 0, 6 * world)


@pytest.mark.parametrize("consumed", [0, 1, 7, 12, 13, 14, 700])
@pytest.mark.parametrize("world", [1, 4])
def test_beginning_later_is_skipping(consumed: int, world: int) -> None:
    assert stream(world, consumed, 6) == stream(1, 0, consumed + 6 * world)[consumed:]


def test_it_can_be_iterated_again() -> None:
    sampler = InfiniteSampler(range(7), seed=5)
    first = iter(sampler)
    drawn = [next(first) for _ in range(9)]
    del first

    assert list(itertools.islice(sampler, 9)) == drawn


def test_epochs_mean_nothing_and_the_length_is_the_share_of_a_rank() -> None:
    sampler = InfiniteSampler(range(7), seed=5, rank=0, world_size=2)
    before = list(itertools.islice(sampler, 9))
    sampler.set_epoch(3)

    assert list(itertools.islice(sampler, 9)) == before
    assert len(sampler) == 4
    assert list(InfiniteSampler([], seed=5)) == []


def test_both_are_registered_and_resumable() -> None:
    for kind in (DefaultSampler, InfiniteSampler):
        built = DATA_SAMPLERS.build({"type": kind.__name__, "dataset": range(3), "seed": 1})
        assert type(built) is kind
        assert isinstance(built, ResumableSampler)
