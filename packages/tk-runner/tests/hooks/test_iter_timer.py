"""The clock of an iteration."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tk_logging import MessageHub
from tk_runner import LogProcessor
from tk_runner.hooks import IterTimerHook


class Clock:
    """A clock that moves when it is told to."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("tk_runner.hooks.iter_timer.time.perf_counter", clock)
    return clock


def standing() -> Any:
    loop = SimpleNamespace(dataloader=range(10))
    return SimpleNamespace(
        message_hub=MessageHub("timed"),
        iter=0,
        epoch=0,
        counts_epochs=True,
        max_iters=100,
        max_epochs=10,
        train_loop=loop,
    )


def run(
    hook: IterTimerHook, runner: Any, clock: Clock, mode: str, *, data: float, step: float
) -> None:
    clock.now += data
    hook._before_iter(runner, 0, mode=mode)
    clock.now += step
    hook._after_iter(runner, 0, mode=mode)


def times(runner: Any, mode: str, name: str) -> list[float]:
    return [float(value) for value in runner.message_hub.get_scalar(f"{mode}/{name}").data[0]]


@pytest.mark.parametrize("mode", ["train", "val", "test"])
def test_waiting_for_data_is_a_part_of_an_iteration(clock: Clock, mode: str) -> None:
    hook, runner = IterTimerHook(), standing()
    hook._before_epoch(runner, mode=mode)
    run(hook, runner, clock, mode, data=2.0, step=1.0)
    run(hook, runner, clock, mode, data=0.5, step=1.0)

    assert times(runner, mode, "data_time") == [2.0, 0.5]
    assert times(runner, mode, "time") == [3.0, 1.5]


def test_a_validation_is_no_part_of_the_next_training_step(clock: Clock) -> None:
    hook, runner = IterTimerHook(), standing()
    hook._before_epoch(runner)
    run(hook, runner, clock, "train", data=1.0, step=1.0)
    hook._before_epoch(runner, mode="val")
    run(hook, runner, clock, "val", data=50.0, step=50.0)
    clock.now += 50.0  # metrics
    hook.after_val(runner)
    run(hook, runner, clock, "train", data=1.0, step=1.0)

    assert times(runner, "train", "time") == [2.0, 2.0]


def test_the_time_left_is_the_mean_step_for_all_that_is_left(clock: Clock) -> None:
    hook, runner = IterTimerHook(), standing()
    hook._before_epoch(runner)
    for _ in range(10):
        run(hook, runner, clock, "train", data=1.0, step=1.0)
    runner.iter = 9

    _, line = LogProcessor().get_log_after_iter(runner, 9, "train")

    assert "eta: 0:03:00  time: 2.0000  data_time: 1.0000" in line


def test_times_are_not_resumed(clock: Clock) -> None:
    hook, runner = IterTimerHook(), standing()
    run(hook, runner, clock, "train", data=1.0, step=1.0)

    assert runner.message_hub.state_dict()["log_scalars"] == {}
