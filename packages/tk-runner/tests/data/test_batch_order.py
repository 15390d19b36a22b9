from __future__ import annotations

import itertools
import random

import pytest

from tk_runner.data import DefaultSampler, InfiniteSampler, Position
from tk_runner.data.batch_order import IteratedOrder, ResumableOrder


def order(size: int, batch_size: int | None, drop_last: bool = False) -> ResumableOrder:
    sampler = DefaultSampler(range(size), shuffle=False, seed=1, rank=0, world_size=1)
    return ResumableOrder(sampler, batch_size, drop_last)


@pytest.mark.parametrize(
    ("drop_last", "expected"), [(False, [[0, 1], [2, 3], [4]]), (True, [[0, 1], [2, 3]])]
)
def test_batches_and_their_number(drop_last: bool, expected: list[list[int]]) -> None:
    five = order(5, 2, drop_last)

    assert list(five.batches(0, Position())) == expected
    assert five.remaining(Position()) == len(expected)


def test_walking_the_positions_gives_every_batch_once_and_ends_finished() -> None:
    five, position, walked = order(5, 2), Position(epoch=3), []
    while not position.finished:
        walked.append(next(iter(five.batches(0, position))))
        position = five.after(position)

    assert walked == [[0, 1], [2, 3], [4]]
    assert (position.epoch, position.batches) == (3, 3)
    assert five.remaining(position) == 0


def test_a_stream_without_end_is_never_finished() -> None:
    endless = ResumableOrder(
        InfiniteSampler(range(3), shuffle=False, seed=1, rank=0, world_size=1), 2, False
    )
    second = endless.after(endless.after(Position()))

    assert endless.remaining(second) is None
    assert list(itertools.islice(endless.batches(0, second), 2)) == [[1, 2], [0, 1]]


def test_a_source_without_a_length_is_iterated_too() -> None:
    class Batches:
        def __iter__(self):
            return iter([[0], [1], [2]])

    iterated = IteratedOrder(Batches(), None, world_size=1)
    position = iterated.after(Position())

    assert list(iterated.batches(0, position)) == [[1], [2]]
    assert iterated.remaining(position) is None
    assert not position.finished


def test_more_ranks_are_mentioned_where_they_cannot_change() -> None:
    (doubt,) = IteratedOrder([[0]], 1, world_size=2).resume_warnings()

    assert doubt == "list can only be continued inside an epoch on 2 ranks"
    assert IteratedOrder([[0]], 1, world_size=1).resume_warnings() == []


def test_whatever_the_ranks_and_batch_sizes_no_sample_is_lost_or_repeated() -> None:
    draw = random.Random(7)
    for _ in range(200):
        size, position, used = draw.randint(1, 60), Position(), []
        while not position.finished:
            world, batch_size = draw.randint(1, 5), draw.randint(1, 4)
            taken = draw.randint(1, 4)
            for rank in reversed(range(world)):
                sampler = DefaultSampler(
                    range(size), seed=size, round_up=False, rank=rank, world_size=world
                )
                share = ResumableOrder(sampler, batch_size, drop_last=False)
                for batch in itertools.islice(share.batches(0, position), taken):
                    used += batch
            for _ in range(taken):  # as rank 0, which is the last one here, counts them
                if not position.finished:
                    position = share.after(position)

        assert sorted(used) == list(range(size))
