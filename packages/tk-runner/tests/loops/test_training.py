"""What the two train loops share."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from doubling import Doubler, loader, scripted, weight
from torch import nn
from torch.utils.data import DataLoader, IterableDataset

from tk_optim import OptimWrapper, OptimWrapperDict
from tk_runner import (
    BaseModel,
    EpochBasedTrainLoop,
    Hook,
    InvalidSettingsError,
    IterBasedTrainLoop,
    read_checkpoint,
)
from tk_runner.loops.training import whole_number

Make = Callable[..., Any]
MOST_CALLS = 86  # of an iteration with a schedule, in functions of the packages


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


class Ones(IterableDataset[Any]):
    """Ones, of which there may be another number than is announced."""

    def __init__(self, announced: int, given: int) -> None:
        self.announced, self.given = announced, given

    def __len__(self) -> int:
        return self.announced

    def __iter__(self) -> Iterator[torch.Tensor]:
        return (torch.ones(1) for _ in range(self.given))


class Slope(nn.Module):
    """Its gradient is the mean of the batch, so that updates of 1 can be counted by its weight."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(1))

    def forward(self, numbers: torch.Tensor) -> torch.Tensor:
        return (self.weight * numbers).mean()


def slope_after(make_run: Make, data: Ones, every: int, **settings: Any) -> float:
    """The weight after a training with accumulation."""
    model = Slope()
    wrapper = {"optimizer": {"type": "SGD", "lr": 1.0}, "accumulative_counts": every}
    loader = DataLoader(data, batch_size=1)
    make_run(model=model, train=loader, optim_wrapper=wrapper, **settings).train()
    return model.weight.item()


@pytest.mark.filterwarnings("ignore:Length of IterableDataset")
@pytest.mark.parametrize(
    ("data", "every", "updates"),
    [(Ones(6, 5), 2, 3), (Ones(8, 3), 4, 1), (Ones(4, 5), 2, 3)],
    ids=["one less", "less than a group", "one more"],
)
def test_the_last_accumulation_group_is_trained_on_wherever_the_data_ends(
    make_run: Make, tmp_path: Path, data: Ones, every: int, updates: int
) -> None:
    weight_after = slope_after(make_run, data, every, epochs=1)

    saved = read_checkpoint(tmp_path / "work" / "epoch_1.pth")["state_dict"]
    assert saved["weight"].item() == weight_after == -updates


class StopAfter(Hook):
    """Ends the training from a hook."""

    def __init__(self, iteration: int, *, in_validation: bool = False) -> None:
        self.iteration, self.in_validation = iteration, in_validation

    def after_train_iter(self, runner: Any, batch_idx: int, **rest: Any) -> None:
        if not self.in_validation and runner.iter + 1 == self.iteration:
            runner.train_loop.stop_training = True

    def after_val_epoch(self, runner: Any, metrics: Any = None) -> None:
        if self.in_validation and runner.iter == self.iteration:
            runner.train_loop.stop_training = True


@pytest.mark.parametrize("in_validation", [False, True])
def test_the_last_accumulation_group_of_a_stopped_training_is_trained_on(
    make_run: Make, in_validation: bool
) -> None:
    weight_after = slope_after(
        make_run,
        Ones(8, 8),
        2,
        iters=8,
        plan={"val_interval": 1},
        val=[] if in_validation else None,
        val_dataloader=DataLoader(Ones(1, 1)) if in_validation else None,
        hooks=[StopAfter(3, in_validation=in_validation)],
    )

    assert weight_after == -2


def test_the_last_accumulation_group_of_each_of_several_optimizers_is_trained_on(
    make_run: Make,
) -> None:
    class Pair(BaseModel):
        def __init__(self) -> None:
            super().__init__()
            self.a, self.b = Slope(), Slope()

        def forward(self, inputs: Any, data_samples: Any = None, mode: str = "tensor") -> Any:
            raise NotImplementedError

        def train_step(self, data: Any, optim_wrapper: Any) -> dict[str, torch.Tensor]:
            for name, part in (("a", self.a), ("b", self.b)):
                optim_wrapper[name].update_params(part(data))
            return {"loss": torch.zeros(())}

    model = Pair()
    wrappers = OptimWrapperDict(
        a=OptimWrapper(torch.optim.SGD(model.a.parameters(), lr=1.0), accumulative_counts=2),
        b=OptimWrapper(torch.optim.SGD(model.b.parameters(), lr=1.0), accumulative_counts=3),
    )
    data = DataLoader(Ones(5, 5), batch_size=1)
    runner = make_run(epochs=1, model=model, train=data, optim_wrapper=wrappers)
    runner.train()

    assert runner.model.a.weight.item() == -3
    assert runner.model.b.weight.item() == -2


def test_an_iteration_between_two_lines_takes_few_calls(make_run: Make) -> None:
    """What the packages add to a step is bounded by a count, since times depend on the machine."""
    calls: list[str] = []

    def note(frame: Any, event: str, argument: Any) -> None:
        if event == "call" and f"{os.sep}src{os.sep}tk_" in frame.f_code.co_filename:
            calls.append(frame.f_code.co_name)

    def watch(run: Any) -> None:  # iterations 3 to 12
        if run.iter == 1:
            sys.setprofile(note)
        elif run.iter == 11:
            sys.setprofile(None)

    logger = {"logger": {"type": "LoggerHook", "interval": 20}, "checkpoint": None}
    schedule = {"type": "LinearLR", "by_epoch": False, "end": 20, "start_factor": 0.1}
    try:
        make_run(
            epochs=None,
            iters=20,
            default_hooks=logger,
            param_scheduler=schedule,
            hooks=[AtEachIteration(watch)],
        ).train()
    finally:
        sys.setprofile(None)

    assert len(calls) / 10 <= MOST_CALLS
