from __future__ import annotations

import logging
from typing import Any

import pytest
from counted_samples import CountedSamples
from torch.utils.data import DataLoader, RandomSampler, WeightedRandomSampler

from tk_runner.data import PositionError, StatefulLoader, as_stateful


class OwnLoader(DataLoader[Any]):
    pass


def loader(size: int = 8, **options: Any) -> StatefulLoader:
    return as_stateful(DataLoader(CountedSamples(size), 2, **options), seed=1)


OTHERS = {
    "more data": lambda: loader(12),
    "less data": lambda: loader(4),
    "another sampler": lambda: loader(sampler=WeightedRandomSampler([1.0] * 8, 8)),
    "samples drawn with replacement": lambda: loader(sampler=RandomSampler(range(8), True)),
    "a subclass": lambda: as_stateful(OwnLoader(CountedSamples(8), 2), seed=1),
    "a list": lambda: as_stateful([1, 2, 3], seed=1),
}


@pytest.mark.parametrize("make", OTHERS.values(), ids=OTHERS)
def test_behind_an_epoch_any_data_goes_on_with_the_next_one(
    make: Any, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "tk.data")
    first, other = loader(), make()
    used = [*first.batches()]
    finished = first.state_dict()
    other.load_state_dict(finished)

    assert len(used) == 4
    assert (other.epoch, len(list(other))) == (1, len(make()))
    assert "the next epoch has other data than the last one" in caplog.text


@pytest.mark.parametrize("make", OTHERS.values(), ids=OTHERS)
def test_behind_the_last_batch_nothing_is_left_of_the_epoch(make: Any) -> None:
    first, other = loader(), make()
    batches = first.batches()
    for _ in range(4):
        next(batches)
    other.load_state_dict(first.state_dict())

    assert list(other) == []
    assert (other.epoch, len(list(other))) == (1, len(make()))


@pytest.mark.parametrize("make", OTHERS.values(), ids=OTHERS)
def test_inside_an_epoch_other_data_is_refused_with_what_is_possible(make: Any) -> None:
    first, other = loader(), make()
    next(first.batches())

    with pytest.raises(PositionError, match=r"batch 1 of epoch 0.*end of an epoch.*load_from"):
        other.load_state_dict(first.state_dict())
    assert other.position.batches == 0


def test_continuing_is_asked_for_by_who_does_not_begin_anew() -> None:
    stopped = loader()
    next(stopped.batches())
    stopped.continue_epoch()

    assert [batch.indices for batch in stopped.batches()] == [[2, 3], [4, 5], [6, 7]]
    stopped.continue_epoch()  # between two epochs there is nothing to continue
    assert len(list(stopped)) == 4


def test_indices_stay_with_their_batch_however_far_ahead_it_is_read() -> None:
    read_ahead = list(loader().batches())

    assert [batch.data[:, 0].tolist() for batch in read_ahead] == [
        batch.indices for batch in read_ahead
    ]


def test_a_batch_that_is_read_by_an_older_iteration_does_not_count() -> None:
    both = loader()
    older = both.batches()
    next(older)
    newer = both.batches()
    next(newer)
    list(older)

    assert (both.epoch, both.position.batches) == (0, 1)
