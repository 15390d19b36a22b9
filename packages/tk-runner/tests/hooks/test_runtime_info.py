"""What the hub knows of a run."""

from __future__ import annotations

import logging
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from doubling import Doubler, loader, scripted

from tk_logging import MessageHub
from tk_runner import Hook
from tk_runner.hooks.runtime_info import RuntimeInfoHook, record_metrics, shown_rates

Make = Callable[..., Any]


class Stages(Hook):
    """Stage, epoch and iteration of the hub at chosen points."""

    priority = "LOWEST"

    def __init__(self) -> None:
        self.seen: list[tuple[Any, ...]] = []

    def _note(self, runner: Any) -> None:
        info = runner.message_hub.get_info
        self.seen.append((info("loop_stage"), info("epoch"), info("iter")))

    def before_train_iter(self, runner: Any, batch_idx: int, data_batch: Any = None) -> None:
        self._note(runner)

    def before_val(self, runner: Any) -> None:
        self._note(runner)


def test_the_hub_knows_stage_epoch_and_iteration(make_run: Make) -> None:
    stages = Stages()
    runner = make_run(epochs=2, train=loader(4), val=scripted("acc", 0.5), hooks=[stages])
    runner.train()

    assert stages.seen == [
        ("train", 0, 0), ("train", 0, 1), ("val", 0, 1),
        ("train", 1, 2), ("train", 1, 3), ("val", 1, 3),
    ]  # fmt: skip
    info = runner.message_hub.runtime_info
    assert (info["max_epochs"], info["max_iters"], info["seed"]) == (2, 4, 1)
    assert info["experiment_name"] == runner.experiment_name
    assert "loop_stage" not in info


def test_a_validation_alone_leaves_no_stage(make_run: Make) -> None:
    stages = Stages()
    runner = make_run(epochs=1, val=scripted("acc", 0.5), hooks=[stages])
    runner.val()

    assert [stage for stage, _, _ in stages.seen] == ["val"]
    assert runner.message_hub.get_info("loop_stage") is None
    assert runner.message_hub.get_scalar("val/acc").current() == 0.5


def test_what_a_step_gives_is_recorded_and_not_read(make_run: Make) -> None:
    model = Doubler(num_losses=3)
    runner = make_run(epochs=1, model=model, default_hooks={"logger": None, "checkpoint": None})
    runner.train()

    scalars = runner.message_hub.log_scalars
    assert {"train/loss", "train/loss_fit", "train/loss_1", "train/lr"} < scalars.keys()
    assert all(scalars[f"train/{name}"].waits_for_unsent() for name in ("loss", "loss_fit"))


def test_the_facts_of_the_dataset_are_there(make_run: Make) -> None:
    train = loader()
    train["dataset"].metainfo = {"classes": ["a", "b"]}
    runner = make_run(epochs=1, train=train)
    runner.train()

    assert runner.message_hub.get_info("dataset_meta") == {"classes": ["a", "b"]}


@pytest.mark.parametrize(
    ("rates", "expected"),
    [
        ({"lr": [0.1]}, ["lr"]),
        ({"lr": [0.1, 0.2], "base_lr": [0.3]}, ["base_lr"]),
        (
            {"gen.lr": [0.1], "disc.lr": [0.2, 0.4], "disc.base_lr": [0.2]},
            ["gen.lr", "disc.base_lr"],
        ),
    ],
)
def test_one_rate_stands_for_each_optimizer(
    rates: dict[str, list[float]], expected: list[str]
) -> None:
    assert list(shown_rates(rates)) == expected


def test_numbers_become_scalars_and_other_metrics_facts() -> None:
    hub = MessageHub("metrics")
    one_number = {"a": 1, "b": np.float32(2), "c": torch.tensor([3.0]), "d": np.array([4])}
    record_metrics(hub, {**one_number, "table": np.eye(2), "text": "x"}, "val")

    assert [hub.get_scalar(f"val/{name}").current() for name in "abcd"] == [1, 2, 3, 4]
    assert hub.get_info("val/text") == "x"
    assert hub.get_info("val/table").shape == (2, 2)


def test_a_metric_that_is_not_a_number_is_named_once(caplog: pytest.LogCaptureFixture) -> None:
    hook = RuntimeInfoHook()
    run: Any = SimpleNamespace(message_hub=MessageHub("odd"), logger=logging.getLogger("tk.odd"))
    for _ in range(2):
        hook.after_val_epoch(
            run, {"toy/matrix": [[1, 0], [0, 1]], "toy/share": 0.5, "toy/none": None}
        )

    assert [record.getMessage().partition(":")[0] for record in caplog.records] == [
        "the metric 'toy/matrix' is not a number but of type list ([[1, 0], [0, 1]])",
        "the metric 'toy/none' is not a number but of type NoneType (None)",
    ]
    assert run.message_hub.get_scalar("val/toy/share").current() == 0.5
