from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from doubling import loader, scripted

from tk_runner import BaseLoop, InvalidSettingsError, read_checkpoint
from tk_runner.interfaces import EvaluationLoopLike, TrainLoopLike
from tk_runner.interfaces.loops import missing_members

Make = Callable[..., Any]


class ThreeSteps(BaseLoop):
    """A train loop of somebody's own, which makes three steps."""

    max_epochs, max_iters = 1, 3

    def __init__(self, runner: Any, dataloader: Any) -> None:
        super().__init__(runner, dataloader, is_training=True)
        self.epoch = self.iter = 0

    def run(self) -> Any:
        for batch in self.dataloader:
            if self.iter == self.max_iters:
                break
            self.runner.model.train_step(batch, self.runner.optim_wrapper)
            self.iter += 1
        return self.runner.model


class Resumable(ThreeSteps):
    def state_dict(self) -> dict[str, Any]:
        return {"epoch": self.epoch, "iter": self.iter}

    def load_state_dict(self, state: Any) -> None:
        self.epoch, self.iter = state["epoch"], state["iter"]


def test_a_train_loop_is_asked_for_what_it_lacks_before_the_first_iteration(make_run: Make) -> None:
    run = make_run(epochs=None, train_cfg={"type": ThreeSteps})

    with pytest.raises(InvalidSettingsError, match=r"ThreeSteps .* load_state_dict, state_dict;"):
        run.train()

    assert run.model.num_steps == 0


def test_a_train_loop_of_somebodys_own_is_saved_and_resumed(make_run: Make, tmp_path: Any) -> None:
    first = make_run(epochs=None, train_cfg={"type": Resumable})
    first.train()
    path = first.save_checkpoint(str(tmp_path), "own.pth")

    second = make_run(epochs=None, train_cfg={"type": Resumable}, resume=path)
    second.train()

    assert read_checkpoint(path)["meta"]["iter"] == 3
    assert (second.iter, second.model.num_steps) == (3, 0)


def test_an_evaluation_loop_of_somebodys_own_needs_no_more_than_run(make_run: Make) -> None:
    class Nothing(BaseLoop):
        def __init__(self, runner: Any, dataloader: Any, evaluator: Any) -> None:
            super().__init__(runner, dataloader)

        def run(self) -> dict[str, float]:
            return {"acc": 1.0}

    run = make_run(epochs=1, val=scripted("acc", 0.5), val_cfg={"type": Nothing})

    run.train()

    assert run.val() == {"acc": 1.0}


def test_the_loops_of_the_package_have_all_that_is_asked(make_run: Make) -> None:
    run = make_run(epochs=1, val=scripted("acc", 0.5))
    run.train()

    assert missing_members(run.train_loop, TrainLoopLike) == []
    assert missing_members(run.val_loop, EvaluationLoopLike) == []
    assert "state_dict" in missing_members(object(), TrainLoopLike)


def test_data_without_a_loop_is_named(make_run: Make) -> None:
    with pytest.raises(InvalidSettingsError, match=r"a loop is built from a dict .* got int: 3"):
        make_run(epochs=None, train_cfg=3, train=loader()).train()
