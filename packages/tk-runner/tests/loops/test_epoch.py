"""Training by epoch."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from doubling import Numbers, Recorder, Stream, loader, scripted, toy_runner
from torch.utils.data import DataLoader, Sampler

from tk_dist import RankFailedError, get_rank, launch
from tk_runner import Hook, InvalidSettingsError

Make = Callable[..., Any]

TRAIN = ["before_train_iter", "after_train_iter"]
VAL = ["before_val_iter", "after_val_iter"]


def recorder() -> Any:
    """A hook that records each point of a run in order."""
    hook = Recorder()

    def at(point: str) -> Callable[..., None]:
        return lambda *args, **kwargs: hook.met.append(point)

    for point in Hook.stages:
        setattr(hook, point, at(point))
    return hook


def test_the_points_are_met_in_this_order(make_run: Make) -> None:
    hook = recorder()
    hook.priority = "LOWEST"
    runner = make_run(
        epochs=1,
        train=loader(4),
        val=scripted("acc", 1.0),
        val_dataloader=loader(2),
        hooks=[hook],
        default_hooks={"checkpoint": None},
    )

    runner.train()

    assert hook.met == [
        "before_run",
        "before_train",
        "before_train_epoch",
        *TRAIN,
        *TRAIN,
        "after_train_epoch",
        "before_val",
        "before_val_epoch",
        *VAL,
        "after_val_epoch",
        "after_val",
        "after_train",
        "after_run",
        "on_exit",
    ]


def test_counters_rise_after_the_hooks_have_seen_them(make_run: Make) -> None:
    seen: list[tuple[str, int, int]] = []

    class Counters(Hook):
        def after_train_iter(
            self, runner: Any, batch_idx: int, data_batch: Any = None, outputs: Any = None
        ) -> None:
            seen.append(("iter", runner.iter, batch_idx))

        def after_train_epoch(self, runner: Any) -> None:
            seen.append(("epoch", runner.epoch, runner.iter))

    make_run(epochs=2, train=loader(4), hooks=[Counters()]).train()

    assert seen == [
        ("iter", 0, 0),
        ("iter", 1, 1),
        ("epoch", 0, 2),
        ("iter", 2, 0),
        ("iter", 3, 1),
        ("epoch", 1, 4),
    ]


def test_the_number_of_batches_of_an_epoch_can_be_fixed(make_run: Make) -> None:
    runner = make_run(epochs=2, train=loader(8, num_batch_per_epoch=3))

    runner.train()

    assert (runner.max_iters, runner.iter) == (6, 6)


def test_data_without_a_length_is_refused_with_the_two_ways_out(make_run: Make) -> None:
    runner = make_run(epochs=1, train=DataLoader(Stream(), batch_size=2))

    with pytest.raises(InvalidSettingsError, match=r"data with a length.*by_epoch=False"):
        runner.train()


def test_data_that_gives_no_batch_is_refused(make_run: Make) -> None:
    runner = make_run(epochs=1, train=loader(3, batch_size=4, drop_last=True))

    with pytest.raises(InvalidSettingsError, match=r"gives no batch.*drop_last"):
        runner.train()


def test_the_loop_says_how_long_it_is(make_run: Make) -> None:
    runner = make_run(epochs=3, plan={"val_begin": 2, "val_interval": 2})
    runner.train()

    loop = runner.train_loop
    assert (loop.max_epochs, loop.max_iters) == (3, 12)
    assert (loop.val_begin, loop.val_interval) == (2, 2)
    assert loop.runner is runner


class Unequal(Sampler[int]):
    """Gives rank 0 one sample more."""

    world_size = 2

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self)))

    def __len__(self) -> int:
        return 3 - get_rank()


def test_ranks_with_unequal_numbers_of_batches_do_not_begin(tmp_path: Path) -> None:
    def on_a_rank() -> None:
        data = DataLoader(Numbers(), batch_size=1, sampler=Unequal())
        toy_runner(str(tmp_path / str(get_rank())), train=data).train()

    with pytest.raises(RankFailedError, match="the ranks have 3, 2 batches in an epoch"):
        launch(on_a_rank, 2, start_method="fork", timeout_s=60)
