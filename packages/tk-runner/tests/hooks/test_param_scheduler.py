"""Exact sequences of learning rates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from doubling import loader, scripted

from tk_runner import Hook

Make = Callable[..., Any]


class Rates(Hook):
    """The rate that each iteration uses."""

    def __init__(self) -> None:
        self.seen: list[float] = []

    def before_train_iter(self, runner: Any, batch_idx: int, data_batch: Any = None) -> None:
        self.seen.append(round(runner.optim_wrapper.get_lr()["lr"][0], 10))


def rates(make_run: Make, schedules: Any, **settings: Any) -> list[float]:
    seen = Rates()
    settings = {"epochs": 3, "train": loader(4), "lr": 1.0, **settings}
    make_run(param_scheduler=schedules, hooks=[seen], **settings).train()
    return seen.seen


def constant(factor: float, end: int, **more: Any) -> dict[str, Any]:
    """``factor`` on the rate for ``end`` units; the step to its end is the last of the schedule."""
    return {"type": "ConstantLR", "factor": factor, "begin": 0, "end": end + 1, **more}


def test_by_epoch(make_run: Make) -> None:
    found = rates(make_run, constant(0.5, 2))

    assert found == [0.5, 0.5, 0.5, 0.5, 1.0, 1.0]


def test_by_iteration(make_run: Make) -> None:
    found = rates(make_run, constant(0.5, 3, by_epoch=False))

    assert found == [0.5, 0.5, 0.5, 1.0, 1.0, 1.0]


def test_overlapping_schedules_multiply(make_run: Make) -> None:
    found = rates(make_run, [constant(0.5, 3, by_epoch=False), constant(0.1, 2)])

    assert found == [0.05, 0.05, 0.05, 0.1, 1.0, 1.0]


def test_warm_up_then_steps(make_run: Make) -> None:
    warm_up = {"type": "LinearLR", "start_factor": 0.5, "by_epoch": False, "begin": 0, "end": 3}
    steps = {"type": "MultiStepLR", "milestones": [2], "gamma": 0.1}

    assert rates(make_run, [warm_up, steps]) == [0.5, 0.75, 1.0, 1.0, 0.1, 0.1]


def test_a_plateau_follows_the_validations(make_run: Make) -> None:
    plateau = {
        "type": "ReduceOnPlateauLR",
        "monitor": "acc",
        "rule": "greater",
        "patience": 0,
        "factor": 0.1,
    }
    found = rates(make_run, plateau, epochs=4, val=scripted("acc", 0.5, 0.4, 0.6))

    assert found == [1.0, 1.0, 1.0, 1.0, 0.1, 0.1, 0.1, 0.1]


def test_a_schedule_can_count_the_steps_of_the_optimizer(make_run: Make) -> None:
    wrapper = {"optimizer": {"type": "SGD", "lr": 1.0}, "accumulative_counts": 2}
    schedule = constant(0.5, 1, by_epoch=False, count_updates=True)

    found = rates(make_run, schedule, optim_wrapper=wrapper)

    assert found == [0.5, 0.5, 1.0, 1.0, 1.0, 1.0]


def test_a_validation_alone_steps_nothing(make_run: Make) -> None:
    runner = make_run(epochs=1, val=scripted("acc", 0.5), param_scheduler=constant(0.5, 1))
    runner.val()

    assert runner.param_schedulers == []


@pytest.mark.parametrize("resume_at", [2, 3])
def test_a_resumed_schedule_gives_the_rates_of_an_uninterrupted_one(
    make_run: Make, resume_at: int
) -> None:
    schedules = [constant(0.5, 3, by_epoch=False), {"type": "CosineAnnealingLR", "T_max": 5}]
    saving = {"checkpoint": {"type": "CheckpointHook", "interval": 1}}
    straight = rates(make_run, schedules, epochs=5, default_hooks=saving)
    work = make_run(epochs=1).work_dir
    resumed = rates(
        make_run,
        schedules,
        epochs=5,
        default_hooks=saving,
        resume=f"{work}/epoch_{resume_at}.pth",
    )

    assert resumed == straight[2 * resume_at :]
