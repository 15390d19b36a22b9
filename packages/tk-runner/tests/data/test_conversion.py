from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import torch
from counted_samples import CountedSamples
from torch.utils.data import DataLoader, IterableDataset, RandomSampler, WeightedRandomSampler

from tk_runner.data import (
    DefaultSampler,
    StatefulDataLoader,
    StatefulLoader,
    WrappedLoader,
    as_stateful,
)


def indices(loader: StatefulLoader) -> list[list[Any] | None]:
    return [batch.indices for batch in loader.batches()]


def test_a_shuffling_loader_is_rebuilt_with_its_settings() -> None:
    plain = DataLoader(
        CountedSamples(7), 2, shuffle=True, collate_fn=list, drop_last=True, timeout=0
    )
    loader = as_stateful(plain, seed=3)

    assert isinstance(loader, StatefulDataLoader)
    assert isinstance(loader.sampler, DefaultSampler)
    assert loader.sampler.shuffle
    assert (len(loader), loader.collate_fn, loader.seed) == (3, list, 3)
    assert loader.resume_warnings() == []


def test_a_rebuilt_loader_continues_exactly() -> None:
    def make() -> Any:
        return as_stateful(DataLoader(CountedSamples(7), 2, shuffle=True, num_workers=2), seed=3)

    straight = make()
    batches = list(straight) + list(straight)
    stopped = make()
    iterator = iter(stopped)
    next(iterator)
    next(iterator)
    state = stopped.state_dict()
    continued = make()
    continued.load_state_dict(state)
    rest = list(continued) + list(continued)

    assert all(torch.equal(a, b) for a, b in zip(rest, batches[2:], strict=True))


def test_a_sequential_loader_keeps_its_order_and_pads_nothing() -> None:
    loader = as_stateful(DataLoader(CountedSamples(5), 2), seed=1)

    assert indices(loader) == [[0, 1], [2, 3], [4]]
    assert loader.sampler.round_up is False


def test_the_seed_is_that_of_the_loaders_generator() -> None:
    generator = torch.Generator().manual_seed(11)

    assert as_stateful(DataLoader(CountedSamples(5), 2, generator=generator)).seed == 11


@pytest.mark.parametrize(
    "sampler",
    [WeightedRandomSampler([1.0] * 5, 9), RandomSampler(range(5), True), [4, 4, 1]],
    ids=["weighted", "replacement", "list"],
)
def test_other_samplers_are_used_as_they_are(sampler: Any) -> None:
    loader = as_stateful(DataLoader(CountedSamples(5), 2, sampler=sampler), seed=1)
    drawn = indices(loader)

    assert sum(len(batch) for batch in drawn) == len(sampler)
    assert loader.resume_warnings() == []


def test_own_batch_samplers_and_single_samples_are_kept() -> None:
    own = as_stateful(DataLoader(CountedSamples(5), batch_sampler=[[0, 4], [1]]), seed=1)
    singles = as_stateful(DataLoader(CountedSamples(3), batch_size=None), seed=1)

    assert indices(own) == [[0, 4], [1]]
    assert indices(singles) == [[0], [1], [2]]


def test_what_has_a_position_comes_back_itself() -> None:
    loader = StatefulDataLoader(CountedSamples(5), 2, seed=1)
    kept = WrappedLoader([1])

    assert as_stateful(loader) is loader
    assert as_stateful(kept) is kept


class Endless(IterableDataset[int]):
    def __iter__(self) -> Iterator[int]:
        return iter(range(4))


class OwnLoader(DataLoader[Any]):
    pass


@pytest.mark.parametrize(
    "loader", [DataLoader(Endless()), OwnLoader(CountedSamples(3)), [1, 2]], ids=type
)
def test_everything_else_is_kept(loader: Any) -> None:
    kept = as_stateful(loader)

    assert isinstance(kept, WrappedLoader)
    assert kept.loader is loader
    assert len(kept.resume_warnings()) == 1
