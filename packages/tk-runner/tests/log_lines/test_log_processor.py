"""From the hub to a line and a record."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from doubling import Doubler, loader, log_lines, records, scripted

from tk_logging import HistoryBuffer, MessageHub
from tk_runner import Hook, InvalidSettingsError, LogProcessor

Make = Callable[..., Any]


class Standing:
    """A run that stands somewhere, with just what a log processor looks at."""

    def __init__(self, epoch: int = 1, iteration: int = 11) -> None:
        self.message_hub = MessageHub("standing")
        self.epoch, self.iter = epoch, iteration
        self.max_epochs, self.max_iters = 10, 80
        self.counts_epochs = True
        self.train_loop = SimpleNamespace(dataloader=range(8), num_batches=8)
        self.val_loop = self.test_loop = SimpleNamespace(num_batches=12)

    def record(self, **scalars: Any) -> Standing:
        for name, values in scalars.items():
            for value in values:
                self.message_hub.update_scalar(name.replace("__", "/"), value)
        return self


def train_values(run: Standing) -> Standing:
    return run.record(
        train__lr=[0.1, 0.01],
        train__time=[0.5, 1.5],
        train__data_time=[0.25, 0.75],
        train__loss=[2.0, 4.0],
        train__acc=[0.5, 0.75],
        train__grad_norm=[1.0, 3.0],
    )


def test_a_train_line_by_epoch() -> None:
    tag, line = LogProcessor().get_log_after_iter(train_values(Standing()), 3, "train")

    assert line == (
        "Epoch(train) [ 2][4/8]  lr: 1.0000e-02  eta: 0:01:08  time: 1.0000  data_time: 0.5000"
        "  loss: 3.0000  acc: 0.7500  grad_norm: 2.0000"
    )
    assert tag == {
        "lr": 0.01, "time": 1.0, "data_time": 0.5, "loss": 3.0, "acc": 0.75, "grad_norm": 2.0,
        "epoch": 2, "iter": 12,
    }  # fmt: skip


def test_a_train_line_by_iteration() -> None:
    run = train_values(Standing(iteration=4))
    _, line = LogProcessor(by_epoch=False, num_digits=1).get_log_after_iter(run, 4, "train")

    assert line == (
        "Iter(train) [ 5/80]  lr: 1.0e-02  eta: 0:01:15  time: 1.0  data_time: 0.5"
        "  loss: 3.0  acc: 0.8  grad_norm: 2.0"
    )


@pytest.mark.parametrize(
    ("by_epoch", "mode", "expected"),
    [
        (True, "val", "Epoch(val) [ 1][ 4/12]    eta: 0:00:08  time: 1.0000  data_time: 0.5000"),
        (True, "test", "Epoch(test) [ 4/12]    eta: 0:00:08  time: 1.0000  data_time: 0.5000"),
        (False, "val", "Iter(val) [ 4/12]    eta: 0:00:08  time: 1.0000  data_time: 0.5000"),
        (False, "test", "Iter(test) [ 4/12]    eta: 0:00:08  time: 1.0000  data_time: 0.5000"),
    ],
)
def test_a_line_within_an_evaluation(by_epoch: bool, mode: str, expected: str) -> None:
    run = Standing()
    for name in ("time", "data_time"):
        run.record(**{f"{mode}__{name}": [1.0] if name == "time" else [0.5]})
    run.record(**{f"{mode}__acc": [0.5]})

    _, line = LogProcessor(by_epoch=by_epoch).get_log_after_iter(run, 3, mode)

    assert line == expected


@pytest.mark.parametrize(
    ("by_epoch", "mode", "place"),
    [
        (True, "val", "Epoch(val) [ 1][12/12]"),
        (True, "test", "Epoch(test) [12/12]"),
        (False, "val", "Iter(val) [12/12]"),
    ],
)
def test_a_line_after_an_evaluation(by_epoch: bool, mode: str, place: str) -> None:
    run = Standing().record(**{f"{mode}__acc": [0.25, 0.5], f"{mode}__time": [1.0]})
    tag, line = LogProcessor(by_epoch=by_epoch).get_log_after_epoch(run, 12, mode)

    assert line == f"{place}    acc: 0.5000  time: 1.0000"
    assert tag == {"acc": 0.5, "time": 1.0}


def test_what_is_no_number_stands_on_lines_of_its_own() -> None:
    run = Standing().record(test__acc=[0.5])
    run.message_hub.update_info("test/table", "a | b")

    tag, line = LogProcessor().get_log_after_epoch(run, 12, "test", with_non_scalar=True)

    assert line == "Epoch(test) [12/12]    acc: 0.5000  \ntest/table: \na | b\n"
    assert tag == {"acc": 0.5, "test/table": "a | b"}


def test_the_hierarchy_is_kept_on_demand() -> None:
    run = train_values(Standing())
    tag, line = LogProcessor(log_with_hierarchy=True).get_log_after_iter(run, 3, "train")

    assert {"train/lr", "train/time", "train/loss"} < tag.keys()
    assert "  lr: 1.0000e-02  " in line
    assert "  train/loss: 3.0000" in line


def test_a_run_with_the_hierarchy_trains_and_validates(make_run: Make) -> None:
    runner = make_run(
        epochs=1, val=scripted("acc", 0.5), log_processor={"log_with_hierarchy": True}
    )
    runner.train()

    train, val = records(runner)
    assert {"train/loss", "train/lr"} < train.keys()
    assert {"val/acc", "val/time"} < val.keys()


def test_the_mean_pattern_says_what_is_averaged() -> None:
    run = train_values(Standing())
    tag, _ = LogProcessor(mean_pattern=".*acc").get_log_after_iter(run, 3, "train")

    assert (tag["acc"], tag["loss"]) == (0.625, 4.0)


def test_a_time_has_its_format_from_the_first_line_on() -> None:
    run = Standing().record(train__time=[1.0])
    _, line = LogProcessor(window_size=10).get_log_after_iter(run, 0, "train")

    assert line == "Epoch(train) [ 2][1/8]  eta: 0:01:08  time: 1.0000"


@pytest.mark.parametrize(
    ("one", "name", "expected"),
    [
        ({"method_name": "max", "window_size": 3}, "loss", 5.0),
        ({"method_name": "min", "window_size": "global", "log_name": "least"}, "least", 1.0),
        ({"method_name": "mean", "window_size": "epoch", "log_name": "mine"}, "mine", 4.5),
        ({"method_name": "current", "log_name": "newest"}, "newest", 5.0),
    ],
)
def test_custom_statistics(one: dict[str, Any], name: str, expected: float) -> None:
    run = Standing().record(train__loss=[1.0, 2.0, 3.0])
    run.message_hub.open_window("epoch")
    run.record(train__loss=[4.0, 5.0])

    processor = LogProcessor(custom_cfg=[{"data_src": "loss", **one}])
    tag, _ = processor.get_log_after_iter(run, 1, "train")

    assert tag[name] == expected


def test_statistics_of_the_users_own_are_found_by_name() -> None:
    @HistoryBuffer.register_statistics
    def spread_of_toys(history: HistoryBuffer, window_size: int) -> float:
        return history.max(window_size) - history.min(window_size)

    run = Standing().record(train__loss=[1.0, 9.0, 4.0])
    custom = {
        "data_src": "loss",
        "log_name": "spread",
        "method_name": "spread_of_toys",
        "window_size": 2,
    }
    tag, _ = LogProcessor(custom_cfg=[custom]).get_log_after_iter(run, 2, "train")

    assert tag["spread"] == 5.0


@pytest.mark.parametrize("stopped", [False, True])
def test_the_mean_of_an_epoch_is_exact_though_the_run_was_stopped_in_it(
    make_run: Make, stopped: bool
) -> None:
    processor = {"custom_cfg": [{"data_src": "loss", "log_name": "all", "window_size": "epoch"}]}
    hooks = {
        "logger": {"type": "LoggerHook", "interval": 4},
        "checkpoint": {"type": "CheckpointHook", "by_epoch": False, "interval": 6},
    }
    losses = Losses()
    runner = make_run(epochs=2, log_processor=processor, default_hooks=hooks, hooks=[losses])
    runner.train()
    if stopped:
        resume = f"{runner.work_dir}/iter_6.pth"
        runner = make_run(epochs=2, log_processor=processor, default_hooks=hooks, resume=resume)
        runner.train()

    assert records(runner)[-1]["all"] == pytest.approx(sum(losses.seen[4:]) / 4)


class Losses(Hook):
    """The loss of each step."""

    def __init__(self) -> None:
        self.seen: list[float] = []

    def after_train_iter(
        self, runner: Any, batch_idx: int, data_batch: Any = None, outputs: Any = None
    ) -> None:
        self.seen.append(float(outputs["loss"]))


def test_histories_become_as_long_as_the_longest_window(make_run: Make) -> None:
    custom = [{"data_src": "loss", "log_name": "long", "window_size": 1500}]
    runner = make_run(epochs=1, log_processor={"custom_cfg": custom})
    runner.train()

    assert runner.message_hub.history_length == 1500
    assert runner.message_hub.get_scalar("train/loss").max_length == 1500


def test_histories_that_a_checkpoint_brings_become_as_long_too(make_run: Make) -> None:
    make_run(epochs=1).train()
    custom = [{"data_src": "loss", "log_name": "long", "window_size": 1500}]
    runner = make_run(epochs=2, log_processor={"custom_cfg": custom}, resume=True)
    runner.train()

    assert runner.message_hub.get_scalar("train/loss").max_length == 1500


def test_each_validation_shows_its_own_loss(make_run: Make) -> None:
    runner = make_run(epochs=3, model=Doubler(reports_loss=True), val=[])
    found = []

    class Keep(Hook):
        def after_val_epoch(self, runner: Any, metrics: Any = None) -> None:
            found.append(metrics["val_loss"])

    runner.register_hook(Keep())
    runner.train()

    shown = [line.partition("val_loss: ")[2].split()[0] for line in log_lines(runner, "(val)")]
    assert shown == [f"{value:.4f}" for value in found]


def test_data_without_a_length_is_counted_by_the_end_of_the_run() -> None:
    run = train_values(Standing())
    run.train_loop.dataloader = iter([])
    _, line = LogProcessor().get_log_after_iter(run, 3, "train")

    assert line.startswith("Epoch(train) [ 2][ 4/80]  ")


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"custom_cfg": [{"log_name": "a"}]}, r"custom_cfg\[0\] has no data_src"),
        ({"custom_cfg": [{"data_src": "a"}, {"data_src": "a"}]}, "names 'a' twice"),
        ({"custom_cfg": [{"data_src": "a", "window_size": "epoch"}], "by_epoch": False}, "epoch"),
        ({"custom_cfg": [{"data_src": "a", "window_size": 1.5}]}, "window_size=1.5"),
        ({"custom_cfg": [{"data_src": "a", "window_size": "all"}]}, "'epoch' or 'global'"),
        ({"window_size": 0}, "window_size=0"),
    ],
)
def test_what_cannot_work_is_refused_at_once(settings: dict[str, Any], text: str) -> None:
    with pytest.raises(InvalidSettingsError, match=text):
        LogProcessor(**settings)


def test_tensors_are_read_once_for_all_names() -> None:
    run = Standing()
    for step in range(3):
        values = {f"train/loss_{n}": torch.tensor(float(step + n)) for n in range(4)}
        run.message_hub.update_scalars(values)

    tag, _ = LogProcessor().get_log_after_iter(run, 2, "train")

    assert [tag[f"loss_{n}"] for n in range(4)] == [1.0, 2.0, 3.0, 4.0]
    assert all(type(tag[f"loss_{n}"]) is float for n in range(4))


def test_a_loader_of_one_batch_is_a_whole_epoch(make_run: Make) -> None:
    runner = make_run(epochs=2, train=loader(2))
    runner.train()

    assert [line.partition("  ")[0] for line in log_lines(runner)] == [
        "Epoch(train) [1][1/1]",
        "Epoch(train) [2][1/1]",
    ]
