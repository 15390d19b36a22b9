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

from tk_runner import Hook, Stopped

BF16 = {
    "type": "AmpOptimWrapper",
    "dtype": "bfloat16",
    "optimizer": {"type": "AdamW", "lr": 0.01},
    "accumulative_counts": 3,
}
EVERY_STOP = range(1, NUM_ITERS)
CASES = {
    "epochs": (EVERY_STOP, {}),
    "iterations": ((1, 5, 8, 14, 22), {"by_epoch": False}),
    "epochs, 2 workers": ((3, 8, 20), {"num_workers": 2}),
    "iterations, 2 workers": ((2, 16, 21), {"by_epoch": False, "num_workers": 2}),
    "epochs, bf16": ((4, 8, 17), {"optim_wrapper": BF16}),
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
    with toy_training.runner(tmp_path / "whole", **settings) as whole:
        whole.train()
        expected, curves = last_checkpoint(whole), records(whole)

    for stop in stops:
        work_dir = tmp_path / f"stop_{stop}"
        before = stopped_after(stop, work_dir, settings)
        resumed, after = resumed_from(stop, work_dir, settings)

        assert differences(expected, resumed) == [], f"stopped after {stop}"
        assert [*before, *after] == curves, f"stopped after {stop}"


def stopped_after(stop: int, work_dir: Path, settings: dict[str, Any]) -> list[Any]:
    torch.manual_seed(1)
    with toy_training.runner(work_dir, **settings) as run:
        run.register_hook(StopAfter(stop))
        with pytest.raises(Stopped) as stopped:
            run.train()
        assert stopped.value.code == 143
        return records(run)


def resumed_from(stop: int, work_dir: Path, settings: dict[str, Any]) -> tuple[Any, list[Any]]:
    torch.manual_seed(999)  # other first weights and random numbers: all must come from the file
    with toy_training.runner(work_dir, resume=True, **settings) as run:
        beginning = RememberBeginning()
        run.register_hook(beginning)
        torch.rand(3)
        run.train()
        assert beginning.iteration == stop
        return last_checkpoint(run), records(run)
