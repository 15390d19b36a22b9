"""Training by iteration: data that ends begins again."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import chain
from typing import Any

import pytest
from doubling import Stream, loader
from torch.utils.data import DataLoader

from tk_runner import Hook, InvalidSettingsError

Make = Callable[..., Any]


class Batches(Hook):
    """The samples that were trained on, batch by batch."""

    def __init__(self) -> None:
        self.seen: list[list[int]] = []

    def before_train_iter(self, runner: Any, batch_idx: int, data_batch: Any = None) -> None:
        self.seen.append([round(float(x) * 8) for x in data_batch["x"]])


def test_data_begins_again_without_a_pause(make_run: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_sleep(seconds: float) -> None:
        raise AssertionError(f"slept {seconds} s")

    batches = Batches()
    runner = make_run(epochs=None, iters=6, train=loader(8), hooks=[batches])
    monkeypatch.setattr(time, "sleep", no_sleep)
    runner.train()

    assert batches.seen == [[0, 1], [2, 3], [4, 5], [6, 7], [0, 1], [2, 3]]
    assert (runner.max_iters, runner.iter) == (6, 6)


def test_each_pass_over_the_data_has_its_own_order(make_run: Make) -> None:
    batches = Batches()
    shuffled = loader(8, sampler={"type": "DefaultSampler", "shuffle": True})
    make_run(epochs=None, iters=8, train=shuffled, hooks=[batches]).train()

    first, second = batches.seen[:4], batches.seen[4:]
    assert sorted(chain(*first)) == sorted(chain(*second)) == list(range(8))
    assert first != second


def test_a_stopped_training_goes_on_with_the_next_samples(make_run: Make) -> None:
    endless = loader(100, sampler={"type": "InfiniteSampler", "shuffle": False})
    checkpoint = {"checkpoint": {"type": "CheckpointHook", "by_epoch": False, "interval": 3}}
    first, second = Batches(), Batches()
    length = {"epochs": None, "train": endless, "default_hooks": checkpoint}
    make_run(iters=3, hooks=[first], **length).train()
    make_run(iters=6, hooks=[second], resume=True, **length).train()

    assert first.seen + second.seen == [[0, 1], [2, 3], [4, 5], [6, 7], [8, 9], [10, 11]]


def test_the_epoch_points_are_met_once(make_run: Make) -> None:
    met = []

    class Epochs(Hook):
        def _before_epoch(self, runner: Any, mode: str = "train") -> None:
            met.append(("before", runner.iter))

        def _after_epoch(self, runner: Any, mode: str = "train") -> None:
            met.append(("after", runner.iter))

    make_run(epochs=None, iters=6, train=loader(4), hooks=[Epochs()]).train()

    assert met == [("before", 0), ("after", 6)]


def test_data_that_gives_no_batch_is_refused(make_run: Make) -> None:
    runner = make_run(epochs=None, iters=4, train=loader(3, batch_size=4, drop_last=True))

    with pytest.raises(InvalidSettingsError, match="gives no batch"):
        runner.train()


def test_data_without_a_length_is_trained_on(make_run: Make) -> None:
    stream = DataLoader(Stream(), batch_size=2)
    runner = make_run(epochs=None, iters=6, train=stream)

    runner.train()

    assert runner.iter == 6
