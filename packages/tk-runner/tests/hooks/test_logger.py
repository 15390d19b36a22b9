"""The lines and records of a run, exactly."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from doubling import Doubler, Scripted, loader, log_lines, records, scripted

from tk_runner import Hook, InvalidSettingsError
from tk_runner.hooks import LoggerHook

Make = Callable[..., Any]
QUIET = {"checkpoint": None}


def logging_every(interval: int, **more: Any) -> dict[str, Any]:
    return {"logger": {"type": "LoggerHook", "interval": interval, **more}, **QUIET}


def steps(found: list[dict[str, Any]], axis: str = "iter") -> list[int]:
    return [one["step"] for one in found if one["axis"] == axis]


@pytest.mark.parametrize(
    ("interval", "more", "expected"),
    [
        (1, {}, list(range(1, 15))),
        (3, {}, [3, 6, 10, 13]),
        (3, {"ignore_last": False}, [3, 6, 7, 10, 13, 14]),
        (7, {}, [7, 14]),
        (50, {}, [7, 14]),  # an epoch shorter than the interval still has its line
    ],
)
def test_the_steps_of_lines_by_epoch(
    make_run: Make, interval: int, more: dict[str, Any], expected: list[int]
) -> None:
    runner = make_run(epochs=2, train=loader(14), default_hooks=logging_every(interval, **more))
    runner.train()

    assert steps(records(runner)) == expected
    assert len(log_lines(runner)) == len(expected)


@pytest.mark.parametrize(
    ("interval", "more", "expected"),
    [(4, {}, [4, 8]), (4, {"ignore_last": False}, [4, 8, 10]), (50, {}, [10])],
)
def test_the_steps_of_lines_by_iteration(
    make_run: Make, interval: int, more: dict[str, Any], expected: list[int]
) -> None:
    hooks = logging_every(interval, **more)
    runner = make_run(epochs=None, iters=10, train=loader(6), default_hooks=hooks)
    runner.train()

    assert steps(records(runner)) == expected
    assert [line.partition("]")[0] for line in log_lines(runner)] == [
        f"Iter(train) [{step:>2}/10" for step in expected
    ]


def test_a_resumed_epoch_keeps_to_the_grid(make_run: Make) -> None:
    hooks = {
        "logger": {"type": "LoggerHook", "interval": 3},
        "checkpoint": {"type": "CheckpointHook", "by_epoch": False, "interval": 4},
    }
    first = make_run(epochs=1, train=loader(16), default_hooks=hooks)
    first.train()
    resume = f"{first.work_dir}/iter_4.pth"
    second = make_run(epochs=1, train=loader(16), default_hooks=hooks, resume=resume)
    second.train()

    assert steps(records(first)) == [3, 6]
    assert steps(records(second)) == [6]


def test_a_train_record_holds_these_values(make_run: Make) -> None:
    runner = make_run(epochs=1, default_hooks=logging_every(2))
    runner.train()

    first, second = records(runner)
    assert first.keys() == {
        "step", "axis", "lr", "data_time", "time", "loss", "epoch", "iter",
    }  # fmt: skip
    assert (second["step"], second["iter"], second["epoch"]) == (4, 4, 1)
    assert second["loss"] == pytest.approx(sum(second_losses()) / 4)


def second_losses() -> list[float]:
    """The losses of the four batches, from the formulas of the model and of SGD."""
    weight, found = 0.0, []
    for batch in range(4):
        values = [(2 * batch) / 8, (2 * batch + 1) / 8]
        square = sum(value**2 for value in values) / 2
        found.append((weight - 2) ** 2 * square)
        weight -= 0.1 * 2 * (weight - 2) * square
    return found


def test_metrics_are_recorded_over_epochs(make_run: Make) -> None:
    runner = make_run(epochs=2, val=scripted("acc", 0.25, 0.5), default_hooks=logging_every(4))
    runner.train()

    found = [one for one in records(runner) if one["axis"] == "epoch"]
    assert [(one["step"], one["acc"]) for one in found] == [(1, 0.25), (2, 0.5)]
    assert found[0].keys() == {"step", "axis", "acc", "val/time", "val/data_time"}


@pytest.mark.parametrize("by_iteration", [True, False])
def test_metrics_are_recorded_over_iterations_where_there_are_no_epochs_or_on_demand(
    make_run: Make, by_iteration: bool
) -> None:
    length: dict[str, Any] = {"epochs": 1}
    if by_iteration:
        length = {"epochs": None, "iters": 4, "plan": {"val_interval": 4}}
    hooks = logging_every(4, log_metric_by_epoch=by_iteration)
    runner = make_run(val=scripted("acc", 0.5), default_hooks=hooks, **length)
    runner.train()

    (found,) = [one for one in records(runner) if "acc" in one]
    assert (found["step"], found["axis"]) == (4, "iter")


def test_a_loss_on_the_validation_set_has_an_axis_of_its_own(make_run: Make) -> None:
    runner = make_run(
        epochs=2, model=Doubler(reports_loss=True), val=[], default_hooks=logging_every(4)
    )
    runner.train()

    train = [one["loss"] for one in records(runner) if "loss" in one]
    val = [
        (one["step"], one["val/loss"], one["val_loss"])
        for one in records(runner)
        if "val_loss" in one
    ]
    assert len(train) == 2
    assert [step for step, _, _ in val] == [1, 2]
    assert all(one == other for _, one, other in val)
    assert val[0][1] > val[1][1]  # each the loss of its own validation


def test_each_line_is_one_json_object_without_nulls_written_once(make_run: Make) -> None:
    runner = make_run(epochs=2, val=scripted("acc", 0.5), default_hooks=logging_every(1))
    runner.train()

    text = (Path(runner.log_dir) / "vis_data" / "scalars.json").read_text()
    lines = text.splitlines()
    assert len(lines) == len(set(lines)) == 10
    assert all(isinstance(json.loads(line), dict) for line in lines)
    assert "null" not in text
    assert sorted(path.name for path in Path(runner.log_dir).rglob("*.json")) == [
        "run.json",
        "scalars.json",
    ]


def test_a_test_is_recorded_and_has_a_file_of_its_own(make_run: Make) -> None:
    script = [{"acc": np.float32(0.5), "count": np.int64(3), "table": np.eye(2)}]
    runner = make_run(
        epochs=1,
        test_dataloader=loader(),
        test_evaluator=Scripted(script),
        default_hooks=logging_every(4),
    )
    runner.train()
    runner.test()

    own = json.loads((Path(runner.log_dir) / f"{runner.timestamp}.json").read_text())
    assert (own["acc"], own["count"]) == (0.5, 3)
    assert own["test/table"] == [[1.0, 0.0], [0.0, 1.0]]
    recorded = records(runner)[-1]
    assert (recorded["step"], recorded["axis"], recorded["test/acc"]) == (1, "epoch", 0.5)
    assert None not in own.values()


def test_the_gradient_norm_is_logged_before_and_after_clipping(make_run: Make) -> None:
    wrapper = {"optimizer": {"type": "SGD", "lr": 0.1}, "clip_grad": {"max_norm": 0.01}}
    runner = make_run(epochs=1, optim_wrapper=wrapper, default_hooks=logging_every(4))
    runner.train()

    (found,) = records(runner)
    assert found["grad_norm"] > 0.01
    assert found["grad_norm_clipped"] == pytest.approx(0.01, rel=1e-3)


def test_the_experiment_is_named_at_its_interval(make_run: Make) -> None:
    hooks = logging_every(100, interval_exp_name=3)
    runner = make_run(epochs=2, default_hooks=hooks, experiment_name="mine")
    runner.train()

    assert log_lines(runner, "Exp name") == [f"Exp name: mine_{runner.timestamp}"] * 2


def test_several_loggers_stand_side_by_side(make_run: Make) -> None:
    runner = make_run(epochs=1, default_hooks=logging_every(4), hooks=[LoggerHook(interval=2)])
    runner.train()

    assert sorted(steps(records(runner))) == [2, 4, 4]


@pytest.mark.parametrize("keep_local", [True, False])
def test_the_files_of_the_log_are_copied_out(
    make_run: Make, tmp_path: Path, keep_local: bool
) -> None:
    hooks = logging_every(4, out_dir=tmp_path / "out", keep_local=keep_local, out_suffix=".json")
    runner = make_run(epochs=1, default_hooks=hooks)
    runner.train()

    copied = tmp_path / "out" / "work" / "vis_data" / "scalars.json"
    assert json.loads(copied.read_text())["step"] == 4
    assert (Path(runner.log_dir) / "vis_data" / "scalars.json").exists() is keep_local


@pytest.mark.parametrize("hooks", [{}, {"logger": None}])
def test_records_are_whole_when_the_run_is_over(make_run: Make, hooks: dict[str, Any]) -> None:
    class Own(Hook):
        def after_train_iter(
            self, runner: Any, batch_idx: int, data_batch: Any = None, outputs: Any = None
        ) -> None:
            runner.visualizer.add_scalar("own", batch_idx, step=runner.iter + 1)

    runner = make_run(epochs=1, default_hooks=hooks, hooks=[Own()])
    runner.train()

    assert [one["own"] for one in records(runner) if "own" in one] == [0, 1, 2, 3]


@pytest.mark.parametrize(
    "settings", [{"interval": 0}, {"interval_exp_name": 1.5}, {"interval": True}]
)
def test_intervals_are_whole_numbers(settings: dict[str, Any]) -> None:
    with pytest.raises(InvalidSettingsError, match="must be a whole number of 1 or more"):
        LoggerHook(**settings)
