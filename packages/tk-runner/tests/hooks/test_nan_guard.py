"""A loss that is no number ends the run, and nobody reads the device for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from doubling import Doubler, files

from tk_runner import NonFiniteLossError

Make = Callable[..., Any]


@pytest.mark.parametrize(
    ("interval", "broken_from", "stopped_at"), [(1, 3, 3), (2, 3, 4), (5, 6, 10), (5, 5, 5)]
)
def test_it_names_the_loss_and_its_iteration_when_the_next_line_is_due(
    make_run: Make, interval: int, broken_from: int, stopped_at: int
) -> None:
    model = Doubler(num_losses=2, broken_from=broken_from)
    logger = {"logger": {"type": "LoggerHook", "interval": interval}}
    runner = make_run(epochs=None, iters=20, model=model, default_hooks=logger)

    with pytest.raises(
        NonFiniteLossError, match=f"'loss_fit' became nan in iteration {broken_from};"
    ):
        runner.train()
    assert model.num_steps == stopped_at


def test_an_interval_longer_than_the_histories_is_no_hindrance(make_run: Make) -> None:
    logger = {"logger": {"type": "LoggerHook", "interval": 12}}
    runner = make_run(epochs=None, iters=24, default_hooks=logger)
    runner.message_hub.history_length = 4

    runner.model.broken_from = 10

    with pytest.raises(NonFiniteLossError, match="in iteration 10;"):
        runner.train()


def test_a_resumed_run_counts_from_its_beginning(make_run: Make) -> None:
    hooks = {
        "checkpoint": {"type": "CheckpointHook", "interval": 1},
        "logger": {"type": "LoggerHook", "interval": 1},
    }
    make_run(epochs=1, default_hooks=hooks).train()
    runner = make_run(epochs=2, model=Doubler(broken_from=2), default_hooks=hooks, resume=True)

    with pytest.raises(NonFiniteLossError, match="in iteration 6;"):
        runner.train()


def test_it_reads_nothing_itself(make_run: Make, tmp_path: Any) -> None:
    hooks = {"logger": None, "checkpoint": None}
    runner = make_run(epochs=2, model=Doubler(broken_from=1), default_hooks=hooks)
    runner.train()

    assert runner.message_hub.get_scalar("train/loss").waits_for_unsent()
    assert files(tmp_path / "work") == []


def test_a_run_goes_on_where_the_guard_is_left_out(make_run: Make) -> None:
    hooks = {"nan_guard": None, "checkpoint": None}
    runner = make_run(epochs=1, model=Doubler(broken_from=2), default_hooks=hooks)
    runner.train()

    assert runner.iter == 4
