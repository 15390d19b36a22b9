"""What the two train loops share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from doubling import Doubler, loader, scripted, weight
from torch import nn

from tk_runner import EpochBasedTrainLoop, Hook, InvalidSettingsError, IterBasedTrainLoop
from tk_runner.loops.training import whole_number

Make = Callable[..., Any]


class AtEachIteration(Hook):
    """Does something after each train iteration."""

    def __init__(self, action: Callable[[Any], Any]) -> None:
        self.action = action

    def after_train_iter(
        self, runner: Any, batch_idx: int, data_batch: Any = None, outputs: Any = None
    ) -> None:
        self.action(runner)


class Validations(Hook):
    """Where the run stood when it validated."""

    def __init__(self) -> None:
        self.epochs: list[int] = []
        self.iterations: list[int] = []

    def before_val(self, runner: Any) -> None:
        self.epochs.append(runner.epoch)
        self.iterations.append(runner.iter)


@pytest.mark.parametrize(
    ("action", "name"),
    [(lambda run: run.val_loop.run(), "validates"), (lambda run: run.model.eval(), "forgets")],
)
def test_the_model_trains_in_training_mode_whatever_a_hook_did(
    make_run: Make, action: Callable[[Any], Any], name: str
) -> None:
    runner = make_run(val=scripted("acc", 1.0), hooks=[AtEachIteration(action)])

    runner.train()

    assert runner.model.was_training == [True] * 8, name


def test_a_part_that_was_frozen_in_evaluation_mode_stays_so_over_a_validation(
    make_run: Make,
) -> None:
    class Frozen(Doubler):
        def __init__(self) -> None:
            super().__init__()
            self.norm = nn.BatchNorm1d(1)
            self.norm_modes: list[bool] = []

        def train(self, mode: bool = True) -> Frozen:
            super().train(mode)
            self.norm.eval()
            return self

        def train_step(self, data: Any, optim_wrapper: Any) -> dict[str, torch.Tensor]:
            self.norm_modes.append(self.norm.training)
            return super().train_step(data, optim_wrapper)

    runner = make_run(model=Frozen(), val=scripted("acc", 1.0))
    runner.train()

    assert runner.model.norm_modes == [False] * 8


@pytest.mark.parametrize("length", [{"epochs": 3}, {"iters": 12}])
def test_validation_before_training_comes_first_and_once(
    make_run: Make, length: dict[str, int]
) -> None:
    seen = Validations()
    plan = {"val_begin": 0, "val_interval": 2 if "epochs" in length else 8}
    runner = make_run(val=scripted("acc", 1.0), hooks=[seen], plan=plan, **length)

    runner.train()

    assert seen.iterations == [0, 8, 12]


def test_iterations_follow_dynamic_intervals(make_run: Make) -> None:
    seen = Validations()
    plan = {"val_interval": 5, "dynamic_intervals": [(11, 2)]}
    runner = make_run(iters=12, val=scripted("acc", 1.0), hooks=[seen], plan=plan)

    runner.train()

    assert seen.iterations == [5, 10, 12]


def test_a_hook_ends_the_training_after_the_running_unit(make_run: Make) -> None:
    def stop(runner: Any) -> None:
        if runner.iter + 1 == 6:
            runner.train_loop.stop_training = True

    by_epoch = make_run(epochs=4, hooks=[AtEachIteration(stop)])
    by_iteration = make_run(epochs=None, iters=16, hooks=[AtEachIteration(stop)])
    by_epoch.train()
    by_iteration.train()

    assert (by_epoch.epoch, by_epoch.iter) == (2, 8)
    assert by_iteration.iter == 6


def test_a_second_call_at_the_end_trains_no_further(make_run: Make) -> None:
    for length in ({"epochs": 1}, {"epochs": None, "iters": 4}):
        runner = make_run(**length)
        runner.train()
        runner.train()

        assert (runner.epoch, runner.iter, runner.model.num_steps) == (1, 4, 4)


def test_an_iteration_whose_hook_failed_is_counted_once_when_the_training_goes_on(
    make_run: Make,
) -> None:
    failures = ["once"]

    def fail(runner: Any) -> None:
        if runner.iter == 2 and failures:
            raise ArithmeticError(failures.pop())

    runner = make_run(epochs=1, hooks=[AtEachIteration(fail)])
    with pytest.raises(ArithmeticError, match="once"):
        runner.train()
    runner.train()

    assert (runner.iter, runner.model.num_steps) == (4, 4)


@pytest.mark.parametrize("value", [1.5, -1, True])
def test_a_length_is_a_whole_number(value: float) -> None:
    with pytest.raises(InvalidSettingsError, match="max_epochs must be a whole number"):
        whole_number("max_epochs", value)


def test_both_loops_can_be_built_by_their_names(make_run: Make) -> None:
    settings = {"epochs": None, "train_dataloader": loader()}
    optim = {"optimizer": {"type": "SGD", "lr": 0.1}}
    for name, kind in (
        ("EpochBasedTrainLoop", EpochBasedTrainLoop),
        ("IterBasedTrainLoop", IterBasedTrainLoop),
    ):
        length = {"max_epochs": 1} if kind is EpochBasedTrainLoop else {"max_iters": 4}
        cfg = {"type": name, **length}
        runner = make_run(train_cfg=cfg, optim_wrapper=optim, **settings)
        runner.train()

        assert type(runner.train_loop) is kind
        assert runner.iter == 4


@pytest.mark.parametrize("value", ["ten", None, [1], float("inf"), float("nan"), True, 1.5, -1])
def test_a_length_that_is_no_whole_number_is_named(value: Any) -> None:
    with pytest.raises(InvalidSettingsError, match="max_epochs must be a whole number"):
        whole_number("max_epochs", value)


def test_training_again_after_an_error_behind_a_step_keeps_the_accumulation_groups(
    make_run: Make, tmp_path: Path
) -> None:
    wrapper = {"optimizer": {"type": "SGD", "lr": 0.1}, "accumulative_counts": 3}

    def fail_once(runner: Any) -> None:
        if runner.iter == 1 and not failed:
            failed.append(True)
            raise RuntimeError("once")

    failed: list[bool] = []
    runner = make_run(optim_wrapper=wrapper, hooks=[AtEachIteration(fail_once)])
    with pytest.raises(RuntimeError, match="once"):
        runner.train()
    runner.train()
    straight = make_run(optim_wrapper=wrapper, work_dir=str(tmp_path / "straight"))
    straight.train()

    assert weight(runner) == weight(straight)
