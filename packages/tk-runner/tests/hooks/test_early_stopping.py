"""When a training ends early."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from doubling import Doubler, Scripted, loader, scripted

from tk_runner import BaseLoop, InvalidSettingsError
from tk_runner.hooks import EarlyStoppingHook

Make = Callable[..., Any]
NAN = float("nan")


def epochs_of(make_run: Make, values: list[float], **settings: Any) -> int:
    hook = EarlyStoppingHook(**{"monitor": "acc", "patience": 2, **settings})
    runner = make_run(epochs=8, train=loader(2), val=scripted("acc", *values), hooks=[hook])
    runner.train()
    return int(runner.epoch)


@pytest.mark.parametrize(
    ("values", "settings", "expected"),
    [
        ([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8], {}, 8),
        ([0.5], {}, 3),  # a flat metric does not improve
        ([0.5, 0.5001, 0.5002, 0.5003, 0.5004, 0.1], {}, 7),  # the smallest gain counts
        ([0.5, 0.5001, 0.5002, 0.9], {"min_delta": 0.01}, 3),
        ([0.1, 0.9, 0.2, 0.3], {}, 4),
        ([0.1, 0.9, 0.2, 0.95, 0.1], {}, 6),
        ([0.9, 0.8, 0.7, 0.8, 0.9], {"rule": "less"}, 5),
        ([0.1, 0.6], {"stopping_threshold": 0.6}, 2),
        ([0.1, NAN], {}, 2),
        ([0.1, 0.2, NAN, 0.3, 0.4, 0.5, 0.6, 0.7], {"check_finite": False}, 8),
        ([0.1, 0.1], {"patience": 1}, 2),
    ],
)
def test_the_epoch_in_which_it_ends(
    make_run: Make, values: list[float], settings: dict[str, Any], expected: int
) -> None:
    assert epochs_of(make_run, values, **settings) == expected


def test_it_ends_trainings_by_iteration_too(make_run: Make) -> None:
    hook = EarlyStoppingHook("acc", patience=2)
    runner = make_run(
        epochs=None, iters=20, plan={"val_interval": 3}, val=scripted("acc", 0.5), hooks=[hook]
    )
    runner.train()

    assert runner.iter == 9


def test_the_rule_that_the_metric_declares_is_obeyed(make_run: Make) -> None:
    class Declared(Scripted):
        greater_is_better = False

    hook = EarlyStoppingHook("score", patience=2)
    falling = [{"score": 1.0 / step} for step in range(1, 9)]
    runner = make_run(epochs=4, val=Declared(falling), hooks=[hook])
    runner.train()

    assert runner.epoch == 4
    assert hook.best == pytest.approx(0.25)


def test_the_count_goes_on_when_a_run_is_resumed(make_run: Make, tmp_path: Path) -> None:
    saving = {"checkpoint": {"type": "CheckpointHook", "interval": 1}}
    first = EarlyStoppingHook("acc", patience=3)
    make_run(
        epochs=3, val=scripted("acc", 0.9, 0.1, 0.1), hooks=[first], default_hooks=saving
    ).train()
    second = EarlyStoppingHook("acc", patience=3)
    resumed = make_run(
        epochs=9,
        val=scripted("acc", 0.1),
        hooks=[second],
        default_hooks=saving,
        resume=str(tmp_path / "work" / "epoch_3.pth"),
    )
    resumed.train()

    assert (second.best, second.wait) == (0.9, 3)
    assert resumed.epoch == 4


def test_a_run_that_was_stopped_is_not_taken_up_again(make_run: Make) -> None:
    hook = EarlyStoppingHook("acc", patience=2)
    hook.load_state_dict({"best": 0.9, "wait": 2})
    runner = make_run(epochs=4, val=scripted("acc", 0.1), hooks=[hook])
    runner.train()

    assert runner.epoch == 0


def test_a_missing_metric_warns_or_raises_with_the_nearest(
    make_run: Make, caplog: pytest.LogCaptureFixture
) -> None:
    make_run(
        epochs=1,
        val=scripted("accuracy", 0.5),
        hooks=[EarlyStoppingHook("acuracy", rule="greater")],
    ).train()
    assert "'acuracy', which the evaluators did not report; did you mean 'accuracy'?" in caplog.text

    strict = EarlyStoppingHook("acuracy", rule="greater", strict=True)
    with pytest.raises(InvalidSettingsError, match="did you mean 'accuracy'"):
        make_run(epochs=1, val=scripted("accuracy", 0.5), hooks=[strict]).train()


def test_what_cannot_be_known_is_asked_for_before_the_first_step(make_run: Make) -> None:
    model = Doubler()
    runner = make_run(
        epochs=1, model=model, val=scripted("fancy", 0.5), hooks=[EarlyStoppingHook("fancy")]
    )

    with pytest.raises(InvalidSettingsError, match=r"'fancy'.*give rule="):
        runner.train()
    assert model.num_steps == 0


def test_a_loop_that_cannot_be_stopped_is_refused(make_run: Make) -> None:
    class Own(BaseLoop):
        max_epochs = max_iters = epoch = iter = 0

        def run(self) -> Any:
            self.runner.call_hook("before_train")

        def state_dict(self) -> dict[str, Any]:
            return {"epoch": 0, "iter": 0}

        def load_state_dict(self, state: Any) -> None:
            raise NotImplementedError

    hook = EarlyStoppingHook("acc")
    runner = make_run(
        epochs=None,
        train_cfg={"type": Own},
        hooks=[hook],
        default_hooks={"checkpoint": None},
    )

    with pytest.raises(InvalidSettingsError, match="Own has no attribute stop_training"):
        runner.train()


def test_a_validation_alone_counts_nothing(make_run: Make) -> None:
    hook = EarlyStoppingHook("acc")
    make_run(epochs=1, val=scripted("acc", 0.5), hooks=[hook]).val()

    assert (hook.best, hook.wait) == (None, 0)


def test_no_patience_is_refused() -> None:
    with pytest.raises(
        InvalidSettingsError, match="patience must be a whole number of 1 or more, got 0"
    ):
        EarlyStoppingHook("acc", patience=0)
