"""Stopped after any iteration and resumed: nothing differs from a run that was never stopped.

Everything that the last checkpoint holds is compared bit by bit: weights, their
averages, optimizer, schedules, scalars, hooks and the state of every random
generator; and what was written for the curves.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
import toy_training
from run_comparison import StopAfter, differences, last_checkpoint, records
from toy_training import NUM_ITERS

from tk_runner import Hook, Runner, Stopped

BF16 = {
    "type": "AmpOptimWrapper",
    "dtype": "bfloat16",
    "optimizer": {"type": "AdamW", "lr": 0.01},
    "accumulative_counts": 3,
}
MORE = {
    "model": lambda: toy_training.Classifier(norm=True),
    "param_scheduler": {"type": "ReduceOnPlateauLR", "monitor": "toy/ordered", "rule": "less"},
    "custom_hooks": [
        {
            "type": "EMAHook",
            "ema_type": "MomentumAnnealingEMA",
            "begin_iter": 5,
            "interval": 2,
            "update_buffers": True,
        }
    ],
}
EVERY_STOP = range(1, NUM_ITERS)
CASES = {
    "epochs": (EVERY_STOP, {}),
    "iterations": ((1, 5, 8, 14, 22), {"by_epoch": False}),
    "epochs, 2 workers": ((3, 8, 20), {"num_workers": 2}),
    "iterations, 2 workers": ((2, 16, 21), {"by_epoch": False, "num_workers": 2}),
    "epochs, bf16": ((4, 8, 17), {"optim_wrapper": BF16}),
    "batch norm, plateau, late average": ((3, 8, 18), MORE),
    "iterations, bf16": ((7, 13, 23), {"by_epoch": False, "optim_wrapper": BF16}),
}


class RememberBeginning(Hook):
    """Notes at which iteration the training begins."""

    def before_train(self, runner: Any) -> None:
        self.iteration = runner.iter


@pytest.mark.parametrize(("stops", "settings"), CASES.values(), ids=CASES)
def test_a_run_that_was_stopped_and_resumed_is_the_run_that_was_not(
    stops: Any, settings: dict[str, Any], tmp_path: Path
) -> None:
    torch.manual_seed(1)
    with started(tmp_path / "whole", settings) as whole:
        whole.train()
        expected, curves = last_checkpoint(whole), records(whole)

    for stop in stops:
        work_dir = tmp_path / f"stop_{stop}"
        before = stopped_after(stop, work_dir, settings)
        resumed, after = resumed_from(stop, work_dir, settings)

        assert differences(expected, resumed) == [], f"stopped after {stop}"
        assert [*before, *after] == curves, f"stopped after {stop}"


def started(work_dir: Path, settings: dict[str, Any], **more: Any) -> Runner:
    built = {name: value() if callable(value) else value for name, value in settings.items()}
    return toy_training.runner(work_dir, **built, **more)


def stopped_after(stop: int, work_dir: Path, settings: dict[str, Any]) -> list[Any]:
    torch.manual_seed(1)
    with started(work_dir, settings) as run:
        run.register_hook(StopAfter(stop))
        with pytest.raises(Stopped) as stopped:
            run.train()
        assert stopped.value.code == 143
        return records(run)


def resumed_from(stop: int, work_dir: Path, settings: dict[str, Any]) -> tuple[Any, list[Any]]:
    torch.manual_seed(999)  # other first weights and random numbers: all must come from the file
    with started(work_dir, settings, resume=True) as run:
        beginning = RememberBeginning()
        run.register_hook(beginning)
        torch.rand(3)
        run.train()
        assert beginning.iteration == stop
        return last_checkpoint(run), records(run)


class StopInValidation(Hook):
    """Asks for the stop while the second batch of a validation is evaluated."""

    priority = "LOWEST"

    def after_val_iter(
        self, runner: Any, batch_idx: int, data_batch: Any = None, outputs: Any = None
    ) -> None:
        if batch_idx == 1:
            runner.stop_requests.request(143)


@pytest.mark.parametrize("by_epoch", [True, False], ids=["epochs", "iterations"])
def test_a_run_that_was_stopped_in_a_validation_validates_again_and_loses_no_step(
    by_epoch: bool, tmp_path: Path
) -> None:
    torch.manual_seed(1)
    with toy_training.runner(tmp_path / "whole", by_epoch=by_epoch) as whole:
        whole.train()
        expected = last_checkpoint(whole)

    torch.manual_seed(1)
    with toy_training.runner(tmp_path / "stopped", by_epoch=by_epoch) as run:
        run.register_hook(StopInValidation())
        with pytest.raises(Stopped):
            run.train()
        place = run.iter
    resumed, _ = resumed_from(place, tmp_path / "stopped", {"by_epoch": by_epoch})

    assert place == (8 if by_epoch else 7)
    assert differences(expected, resumed) == []
