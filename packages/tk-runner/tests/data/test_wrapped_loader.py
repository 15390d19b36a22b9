from __future__ import annotations

import os
import random
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from counted_samples import CountedSamples
from torch.utils.data import DataLoader, IterableDataset

from tk_runner.data import PositionError, StatefulDataLoader, WorkerError, WrappedLoader


class Count(IterableDataset[int]):
    """Counts from where it stands; without a state unless asked for."""

    def __init__(self) -> None:
        self.at = 0
        self.epoch = 0

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch

    def __iter__(self) -> Iterator[int]:
        while self.at < 6:
            self.at += 1
            yield 100 * self.epoch + self.at - 1
        self.at = 0


class StatefulCount(Count):
    def state_dict(self) -> dict[str, Any]:
        return {"at": self.at}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.at = state["at"]


class StatefulLoader(DataLoader[Any]):
    at = 0

    def __iter__(self) -> Any:
        for value in range(self.at, 5):
            self.at = value + 1
            yield value
        self.at = 0

    def state_dict(self) -> dict[str, Any]:
        return {"at": self.at}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.at = state["at"]


def stopped(loader: WrappedLoader, after: int) -> dict[str, Any]:
    iterator = iter(loader)
    for _ in range(after):
        next(iterator)
    return loader.state_dict()


def test_a_loader_with_a_state_is_asked_for_it() -> None:
    state = stopped(WrappedLoader(StatefulLoader(CountedSamples(1))), 2)
    continued = WrappedLoader(StatefulLoader(CountedSamples(1)))
    continued.load_state_dict(state)

    assert list(continued) == [2, 3, 4]
    assert "continued by its own state" in continued.resume_warnings()[0]


def test_an_iterable_dataset_with_a_state_is_asked_for_it() -> None:
    state = stopped(WrappedLoader(DataLoader(StatefulCount(), batch_size=2)), 2)
    continued = WrappedLoader(DataLoader(StatefulCount(), batch_size=2))
    continued.load_state_dict(state)

    assert [batch.tolist() for batch in continued] == [[4, 5]]
    assert continued.epoch == 1


@pytest.mark.parametrize("dataset", [Count(), StatefulCount()], ids=["none", "in-a-worker"])
def test_without_a_state_used_batches_are_read_and_dropped(dataset: Count) -> None:
    workers = int(isinstance(dataset, StatefulCount))
    loader = WrappedLoader(DataLoader(dataset, batch_size=2, num_workers=workers))
    continued = WrappedLoader(DataLoader(dataset, batch_size=2, num_workers=workers))
    loader.set_epoch(3)
    state = stopped(loader, 1)
    dataset.at = 0
    continued.load_state_dict(state)

    assert [batch.tolist() for batch in continued] == [[302, 303], [304, 305]]
    (doubt,) = continued.resume_warnings()
    assert f"DataLoader over {type(dataset).__name__} has no state_dict()" in doubt
    assert "A plain DataLoader over a map-style dataset is exact" in doubt


class Continuing(IterableDataset[int]):
    """A loaded state is where the next pass begins; the state is seen by iterating only."""

    def __init__(self) -> None:
        self.at = 0
        self.begin_at = 0

    def state_dict(self) -> dict[str, Any]:
        return {"at": self.at}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.begin_at = state["at"]

    def __iter__(self) -> Iterator[int]:
        self.at, self.begin_at = self.begin_at, 0
        while self.at < 4:
            self.at += 1
            yield self.at - 1


def test_a_loaded_state_is_handed_over_once_and_told_until_it_is_used() -> None:
    state = stopped(WrappedLoader(DataLoader(Continuing(), batch_size=None)), 2)
    continued = WrappedLoader(DataLoader(Continuing(), batch_size=None))
    continued.load_state_dict(state)

    continued.continue_epoch()
    assert continued.state_dict() == state
    assert list(continued) == [2, 3]


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"rank": 1}, "the saved state of DataLoader over Continuing is that of rank 1"),
        ({"world_size": 2}, "was read by 2 ranks, and now there are 1"),
    ],
)
def test_the_state_of_another_rank_is_refused(change: dict[str, int], text: str) -> None:
    state = stopped(WrappedLoader(DataLoader(Continuing(), batch_size=None)), 2)
    loader = WrappedLoader(DataLoader(Continuing(), batch_size=None))
    with pytest.raises(PositionError, match=text):
        loader.load_state_dict({**state, **change})


def test_an_epoch_that_is_left_is_continued_in_the_same_process() -> None:
    loader = WrappedLoader(DataLoader(Continuing(), batch_size=None))
    stopped(loader, 3)
    loader.continue_epoch()

    assert list(loader) == [3]
    assert list(loader) == [0, 1, 2, 3]


def test_a_state_saved_behind_an_epoch_does_not_make_the_next_one_empty() -> None:
    loader = WrappedLoader(DataLoader(Continuing(), batch_size=None))
    list(loader)
    continued = WrappedLoader(DataLoader(Continuing(), batch_size=None))
    continued.load_state_dict(loader.state_dict())

    assert list(continued) == [0, 1, 2, 3]
    assert continued.epoch == 2


class Shuffled(IterableDataset[int]):
    def __iter__(self) -> Iterator[int]:
        return iter(torch.randperm(6).tolist())


def test_an_order_drawn_from_the_global_generators_is_drawn_again() -> None:
    torch.manual_seed(1)
    loader = WrappedLoader(DataLoader(Shuffled(), batch_size=None))
    batches = iter(loader)
    used = [next(batches), next(batches)]
    continued = WrappedLoader(DataLoader(Shuffled(), batch_size=None))
    continued.load_state_dict(loader.state_dict())
    torch.manual_seed(9)
    generators_state = torch.get_rng_state()

    assert used + list(continued) == [*used, *batches]
    assert torch.equal(torch.get_rng_state(), generators_state)


class Random(IterableDataset[float]):
    def __iter__(self) -> Iterator[float]:
        for _ in range(5):
            yield random.random()


def test_workers_are_seeded_by_the_epoch_and_repeat_when_read_again() -> None:
    def make(seed: int) -> WrappedLoader:
        return WrappedLoader(DataLoader(Random(), num_workers=1), seed=seed)

    torch.manual_seed(5)
    expected_global = torch.rand(1)
    torch.manual_seed(5)
    straight = make(1)
    first, second = list(straight), list(straight)
    assert torch.equal(torch.rand(1), expected_global)
    assert first != second

    loader = make(1)
    loader.set_epoch(1)
    state = stopped(loader, 2)
    continued = make(9)
    continued.load_state_dict(state)
    assert list(continued) == second[2:]


def test_epochs_are_counted_and_announced() -> None:
    loader = WrappedLoader(DataLoader(Count(), batch_size=3))

    first, second = list(loader), list(loader)

    assert [batch.tolist() for batch in first] == [[0, 1, 2], [3, 4, 5]]
    assert [batch.tolist() for batch in second] == [[100, 101, 102], [103, 104, 105]]
    assert loader.epoch == 2
    assert {batch.indices for batch in loader.batches()} == {None}
    assert loader.epoch == 3
    assert not loader.is_endless


def test_an_iteration_that_is_broken_off_begins_anew() -> None:
    loader = WrappedLoader([1, 2, 3])
    older = iter(loader)
    next(older)

    assert list(loader) == [1, 2, 3]
    assert list(older) == [2, 3]
    assert (loader.epoch, len(loader)) == (1, 3)
    assert loader.position.batches == 0


def test_the_place_of_another_kind_is_refused() -> None:
    state = StatefulDataLoader(CountedSamples(3), seed=1).state_dict()

    with pytest.raises(PositionError, match="with a loader with a DefaultSampler, and this is a l"):
        WrappedLoader([1]).load_state_dict({**state, "batches": 1})
    with pytest.raises(PositionError, match="with a list, and this is a DataLoader"):
        WrappedLoader(DataLoader(Count())).load_state_dict(stopped(WrappedLoader([1, 2]), 1))


def test_settings_of_the_loader_can_be_read() -> None:
    loader = WrappedLoader(DataLoader(Count(), batch_size=5))

    assert loader.batch_size == 5
    with pytest.raises(AttributeError, match="no_such"):
        loader.no_such


class Dying(IterableDataset[int]):
    def __iter__(self) -> Iterator[int]:
        yield 1
        os._exit(3)


def test_a_worker_that_dies_is_told_with_the_loader() -> None:
    loader = WrappedLoader(DataLoader(Dying(), num_workers=1))

    with pytest.raises(WorkerError, match="The loader is DataLoader over Dying"):
        list(loader)


def test_plain_tensors_are_fine_as_a_loader() -> None:
    assert [int(x) for x in WrappedLoader(torch.arange(3))] == [0, 1, 2]
