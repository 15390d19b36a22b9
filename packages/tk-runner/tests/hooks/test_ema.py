"""The average of the weights: exact, swapped for evaluations, saved, resumed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from doubling import Doubler, scripted, weight
from torch import nn

from tk_runner import Hook, InvalidSettingsError, read_checkpoint
from tk_runner.hooks import EMAHook

Make = Callable[..., Any]
MOMENTUM = 0.25


class Weights(Hook):
    """The model's weight after each step and in each validation batch."""

    def __init__(self) -> None:
        self.trained: list[float] = []
        self.validated: list[float] = []

    def after_train_iter(
        self, runner: Any, batch_idx: int, data_batch: Any = None, outputs: Any = None
    ) -> None:
        self.trained.append(weight(runner))

    def before_val_iter(self, runner: Any, batch_idx: int, data_batch: Any = None) -> None:
        self.validated.append(weight(runner))


def ema(**settings: Any) -> EMAHook:
    return EMAHook(momentum=MOMENTUM, **settings)


def closed_form(trained: list[float], begin: int = 1) -> float:
    """``(1-m)**n * first + sum of m * (1-m)**(n-k) * k-th``, over what was averaged."""
    first, *rest = trained[begin - 1 :]
    total = (1 - MOMENTUM) ** len(rest) * first
    for place, value in enumerate(rest, 1):
        total += MOMENTUM * (1 - MOMENTUM) ** (len(rest) - place) * value
    return total


@pytest.mark.parametrize(
    ("settings", "begin"), [({}, 1), ({"begin_iter": 5}, 5), ({"begin_epoch": 1}, 5)]
)
def test_the_average_agrees_with_its_closed_form(
    make_run: Make, settings: dict[str, int], begin: int
) -> None:
    hook, weights = ema(**settings), Weights()
    make_run(epochs=2, hooks=[weights, hook]).train()

    average = float(hook.ema_model.module.weight)
    # torch averages in float32, step by step
    assert average == pytest.approx(closed_form(weights.trained, begin), abs=1e-6)


def test_until_the_beginning_the_average_is_the_model(make_run: Make) -> None:
    hook = ema(begin_epoch=2)
    runner = make_run(epochs=2, hooks=[hook])
    runner.train()

    assert float(hook.ema_model.module.weight) == weight(runner)


def test_validation_sees_the_average_and_training_goes_on_from_its_own(make_run: Make) -> None:
    alone, with_ema = Weights(), Weights()
    make_run(epochs=2, val=scripted("acc", 0.5), hooks=[alone]).train()
    make_run(epochs=2, val=scripted("acc", 0.5), hooks=[with_ema, ema()]).train()

    assert with_ema.trained == alone.trained
    assert with_ema.validated[0] == pytest.approx(closed_form(alone.trained[:4]), abs=1e-6)
    assert with_ema.validated[-1] == pytest.approx(closed_form(alone.trained), abs=1e-6)


def test_weights_that_are_shared_are_swapped_once(make_run: Make) -> None:
    class Tied(Doubler):
        def __init__(self) -> None:
            super().__init__()
            self.same = nn.Module()
            self.same.weight = self.weight

    weights = Weights()
    make_run(epochs=1, model=Tied(), val=scripted("acc", 0.5), hooks=[weights, ema()]).train()

    assert weights.validated[0] == pytest.approx(closed_form(weights.trained), abs=1e-6)


@pytest.mark.parametrize("broken", ["val_step", "metric"])
def test_an_evaluation_that_breaks_off_leaves_the_trained_weights(
    make_run: Make, broken: str
) -> None:
    hook, weights = ema(), Weights()
    runner = make_run(epochs=1, val=scripted("acc", 0.5), hooks=[weights, hook])
    if broken == "val_step":
        runner.model.val_step = None
    else:
        runner.val_loop.evaluator.metrics[0].script = [None]

    with pytest.raises(TypeError):
        runner.train()

    assert weight(runner) == weights.trained[-1]
    assert float(hook.ema_model.module.weight) != weight(runner)


def test_a_checkpoint_holds_the_average_where_loading_looks_and_the_trained_beside_it(
    make_run: Make, tmp_path: Path
) -> None:
    hook = ema()
    runner = make_run(epochs=1, hooks=[hook])
    runner.train()

    saved = read_checkpoint(tmp_path / "work" / "epoch_1.pth")
    assert float(saved["state_dict"]["weight"]) == float(hook.ema_model.module.weight)
    assert float(saved["ema_state_dict"]["module.weight"]) == weight(runner)
    assert int(saved["ema_state_dict"]["steps"]) == 4


def test_the_best_file_holds_the_average_that_was_judged(make_run: Make, tmp_path: Path) -> None:
    hook, weights = ema(), Weights()
    best = {"checkpoint": {"type": "CheckpointHook", "save_best": "acc"}}
    make_run(epochs=1, val=scripted("acc", 0.5), hooks=[weights, hook], default_hooks=best).train()

    saved = read_checkpoint(tmp_path / "work" / "best_acc_epoch_1.pth")
    assert float(saved["state_dict"]["weight"]) == weights.validated[0]
    assert float(saved["ema_state_dict"]["module.weight"]) == weights.trained[-1]


def test_a_resumed_run_has_the_same_average_and_weights(make_run: Make, tmp_path: Path) -> None:
    straight = ema()
    first = make_run(epochs=3, hooks=[straight])
    first.train()
    resumed = ema()
    start = str(tmp_path / "work" / "epoch_2.pth")
    second = make_run(work_dir=str(tmp_path / "b"), epochs=3, hooks=[resumed], resume=start)
    second.train()

    assert weight(second) == weight(first)
    own, other = resumed.ema_model.state_dict(), straight.ema_model.state_dict()
    assert own.keys() == other.keys()
    assert all(torch.equal(own[name], other[name]) for name in own)


def test_a_run_without_an_average_gets_one_on_resuming(
    make_run: Make, caplog: pytest.LogCaptureFixture
) -> None:
    plain = make_run(epochs=1)
    plain.train()
    hook, weights = ema(), Weights()
    make_run(epochs=2, hooks=[weights, hook], resume=True).train()

    assert "holds no average: it begins as a copy" in caplog.text
    average = float(hook.ema_model.module.weight)
    assert average == pytest.approx(closed_form(weights.trained), abs=1e-6)


def test_a_run_goes_on_without_the_average_that_the_file_has(
    make_run: Make, tmp_path: Path
) -> None:
    make_run(epochs=1, hooks=[ema()]).train()
    saved = read_checkpoint(tmp_path / "work" / "epoch_1.pth")
    runner = make_run(epochs=1, resume=True)
    runner.train()

    assert weight(runner) == float(saved["state_dict"]["weight"])  # what a plain load gives


def test_names_that_do_not_fit_are_told_and_the_run_goes_on(
    make_run: Make, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    make_run(epochs=1, hooks=[ema()]).train()
    saved = read_checkpoint(tmp_path / "work" / "epoch_1.pth")
    saved["state_dict"]["extra"] = saved["ema_state_dict"]["module.extra"] = torch.zeros(1)
    torch.save(saved, tmp_path / "extra.pth")
    runner = make_run(epochs=2, hooks=[ema()], resume=str(tmp_path / "extra.pth"))
    runner.train()

    assert "does not fit in all" in caplog.text
    assert "module.extra" in caplog.text
    assert runner.epoch == 2


def test_weights_that_are_loaded_are_what_a_test_sees(make_run: Make, tmp_path: Path) -> None:
    make_run(epochs=1, hooks=[ema()]).train()
    saved = read_checkpoint(tmp_path / "work" / "epoch_1.pth")
    # as an older wrapper would have named them: the average must follow the model
    old = {"state_dict": {f"module.{name}": one for name, one in saved["state_dict"].items()}}
    torch.save(old, tmp_path / "old.pth")
    weights = Weights()
    runner = make_run(
        epochs=None,
        val=scripted("acc", 1.0),
        hooks=[weights, ema()],
        load_from=str(tmp_path / "old.pth"),
    )
    runner.val()

    assert set(weights.validated) == {float(saved["state_dict"]["weight"])}


def test_fine_tuning_averages_from_the_loaded_weights_on(make_run: Make, tmp_path: Path) -> None:
    make_run(epochs=1, hooks=[ema()]).train()
    hook, weights = ema(), Weights()
    make_run(
        work_dir=str(tmp_path / "b"),
        epochs=1,
        hooks=[weights, hook],
        load_from=str(tmp_path / "work" / "epoch_1.pth"),
    ).train()

    average = float(hook.ema_model.module.weight)
    assert average == pytest.approx(closed_form(weights.trained), abs=1e-6)


def test_a_test_with_a_late_beginning_builds_no_training(make_run: Make) -> None:
    runner = make_run(epochs=1, val=scripted("acc", 1.0), hooks=[ema(begin_iter=3)])
    runner.val()

    assert runner.train_loop is None


@pytest.mark.parametrize(
    ("settings", "text"),
    [({"begin_iter": -1}, "0 or more"), ({"begin_iter": 1, "begin_epoch": 1}, "not both")],
)
def test_contradictions_are_refused(settings: dict[str, int], text: str) -> None:
    with pytest.raises(InvalidSettingsError, match=text):
        EMAHook(**settings)  # type: ignore[arg-type]


def test_with_accumulation_updates_are_averaged_not_batches(make_run: Make) -> None:
    hook, weights = ema(), Weights()
    wrapper = {"optimizer": {"type": "SGD", "lr": 0.1}, "accumulative_counts": 2}
    make_run(epochs=2, hooks=[weights, hook], optim_wrapper=wrapper).train()

    updates = weights.trained[1::2]
    assert int(hook.ema_model.steps) == len(updates) == 4
    assert float(hook.ema_model.module.weight) == pytest.approx(closed_form(updates), rel=1e-6)


def test_an_update_that_the_end_of_the_training_completes_is_averaged_too(make_run: Make) -> None:
    class Enough(Hook):
        def after_train_iter(self, runner: Any, batch_idx: int, **rest: Any) -> None:
            runner.train_loop.stop_training = runner.iter == 2

    hook = ema()
    wrapper = {"optimizer": {"type": "SGD", "lr": 0.1}, "accumulative_counts": 2}
    make_run(iters=8, hooks=[Enough(), hook], optim_wrapper=wrapper).train()

    assert int(hook.ema_model.steps) == 2


def test_a_beginning_by_epoch_in_a_training_by_iteration_is_refused(make_run: Make) -> None:
    with pytest.raises(InvalidSettingsError, match="begin_epoch=1 is never reached"):
        make_run(iters=6, hooks=[ema(begin_epoch=1)]).train()


def test_a_beginning_behind_the_end_is_refused(make_run: Make) -> None:
    with pytest.raises(InvalidSettingsError, match="begin_epoch=3 lies behind the end"):
        make_run(epochs=2, hooks=[ema(begin_epoch=3)]).train()


def test_buffers_are_those_of_the_model(make_run: Make) -> None:
    hook = ema()
    runner = make_run(epochs=1, val=scripted("acc", 1.0), hooks=[hook])
    runner.train()

    assert float(runner.model.seen) == float(hook.ema_model.module.seen) == 4.0


def test_a_second_average_is_refused(make_run: Any) -> None:
    runner = make_run(hooks=[EMAHook(momentum=0.1), EMAHook(momentum=0.3)])

    with pytest.raises(InvalidSettingsError, match="two EMAHooks"):
        runner.train()
