"""A loss that is no number ends the run, and nobody reads the device for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from doubling import Doubler, files

from tk_runner import Hook, NonFiniteLossError
from tk_runner.hooks.nan_guard import first_broken_loss

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


class OwnGuard(Hook):
    """A user's: asks for a stop where the loss is not finite any more."""

    priority = "VERY_LOW"

    def after_train_iter(
        self, runner: Any, batch_idx: int, data_batch: Any = None, outputs: Any = None
    ) -> None:
        if not bool(outputs["loss"].isfinite()):
            runner.stop_requests.request(75)


def test_with_a_guard_of_ones_own_the_newest_checkpoint_is_a_finite_one(
    make_run: Make, tmp_path: Any
) -> None:
    hooks = {"nan_guard": None, "checkpoint": {"type": "CheckpointHook", "interval": 1}}
    runner = make_run(
        epochs=3, model=Doubler(broken_from=6), default_hooks=hooks, hooks=[OwnGuard()]
    )

    with pytest.raises(NonFiniteLossError, match=r"became nan in iteration 6\. No checkpoint"):
        runner.train()
    assert files(tmp_path / "work") == ["epoch_1.pth"]
    newest = (tmp_path / "work" / "last_checkpoint").read_text()
    assert newest.strip().endswith("epoch_1.pth")


def test_losses_that_were_broken_before_a_resume_do_not_end_it(make_run: Make) -> None:
    hub = make_run(epochs=1).message_hub
    for value in (1.0, float("nan"), 2.0):
        hub.update_scalar("train/loss", value)

    assert first_broken_loss(hub, 3) == "the loss 'loss' became nan in iteration 2"
    assert first_broken_loss(hub, 3, since=2) is None


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
