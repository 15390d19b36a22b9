"""Which epoch a loader is told."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from doubling import loader

from tk_runner import Hook
from tk_runner.hooks import DistSamplerSeedHook


class Loader:
    def __init__(self, epoch: int) -> None:
        self.epoch = epoch

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch


@pytest.mark.parametrize(("at", "expected"), [(0, 3), (3, 3), (5, 5)])
def test_a_loader_that_is_behind_is_told_the_epoch(at: int, expected: int) -> None:
    own = Loader(at)
    DistSamplerSeedHook().before_train_epoch(SimpleNamespace(train_dataloader=own, epoch=3))  # type: ignore[arg-type]

    assert own.epoch == expected


def test_a_loader_that_counts_nothing_is_left_alone() -> None:
    DistSamplerSeedHook().before_train_epoch(SimpleNamespace(train_dataloader=[1], epoch=3))  # type: ignore[arg-type]


def test_each_epoch_has_its_own_order(make_run: Callable[..., Any]) -> None:
    seen: list[int] = []

    class Order(Hook):
        def before_train_iter(self, runner: Any, batch_idx: int, data_batch: Any = None) -> None:
            seen.extend(round(float(x) * 8) for x in data_batch["x"])

    shuffled = loader(sampler={"type": "DefaultSampler", "shuffle": True})
    make_run(epochs=2, train=shuffled, hooks=[Order()]).train()

    assert sorted(seen[:8]) == sorted(seen[8:]) == list(range(8))
    assert seen[:8] != seen[8:]
