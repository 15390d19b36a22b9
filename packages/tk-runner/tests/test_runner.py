from __future__ import annotations

import gc
import json
import logging
import weakref
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader
from toy_run import NOT_VALIDATING, Share, Toy, toy_arguments, toy_data, toy_run

from tk_config import Config
from tk_logging import MessageHub, MMLogger
from tk_registry import DATASETS, VISUALIZERS, DefaultScope, Registry
from tk_runner import (
    Hook,
    InvalidSettingsError,
    NotConfiguredError,
    Runner,
    Stopped,
    Visualizer,
    find_latest_checkpoint,
    read_checkpoint,
)
from tk_runner.checkpoint import CheckpointError


def test_training_returns_the_trained_model_and_leaves_its_files(tmp_path: Path) -> None:
    runner = toy_run(tmp_path)

    model = runner.train()

    assert model is runner.model
    assert (runner.epoch, runner.iter) == (2, 12)
    assert {"epoch_1.pth", "epoch_2.pth", "last_checkpoint"} <= {p.name for p in tmp_path.iterdir()}
    assert (tmp_path / runner.timestamp / f"{runner.timestamp}.log").exists()
    assert json.loads((Path(runner.log_dir) / "run.json").read_text())["seed"] == 0


class NeverBuilt:
    def __init__(self) -> None:
        raise AssertionError("nobody trains")


def test_a_test_builds_nothing_of_the_training_side(tmp_path: Path) -> None:
    runner = toy_run(
        tmp_path,
        train_dataloader={"dataset": {"type": NeverBuilt}},
        test_dataloader=DataLoader(toy_data(), batch_size=5),
        test_evaluator={"type": Share},
        **NOT_VALIDATING,
    )

    metrics = runner.test()

    assert set(metrics) == {"toy/share"}
    assert runner.train_loop is None
    assert runner.optim_wrapper is None


@pytest.mark.parametrize("name", ["epoch", "iter", "max_epochs", "max_iters"])
def test_reading_a_count_builds_nothing(tmp_path: Path, name: str) -> None:
    runner = toy_run(tmp_path)

    assert getattr(runner, name) == 0
    assert runner.train_loop is None


def test_a_mode_that_was_not_configured_is_named(tmp_path: Path) -> None:
    runner = toy_run(tmp_path)

    with pytest.raises(NotConfiguredError, match="no test_dataloader; give test_dataloader"):
        runner.test()


def test_every_problem_of_the_settings_is_said_before_a_folder_is_made(tmp_path: Path) -> None:
    with pytest.raises(InvalidSettingsError) as caught:
        toy_run(
            tmp_path / "work",
            optim_wrapper=None,
            train_cfg={"by_epoch": True, "max_epoch": 2},
            launcher="torch",
            randomness={"sed": 1},
        )

    text = str(caught.value)
    assert "without optim_wrapper" in text
    assert (
        "train_cfg.max_epoch: there is no argument 'max_epoch'; did you mean 'max_epochs'" in text
    )
    assert "launcher: no launcher is called 'torch'" in text
    assert "randomness.sed: there is no argument 'sed'; did you mean 'seed'?" in text
    assert not (tmp_path / "work").exists()


def test_a_plain_module_that_returns_its_loss_is_trained(tmp_path: Path) -> None:
    class Plain(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.net = nn.Linear(3, 1)

        def forward(self, rows: torch.Tensor, signs: torch.Tensor) -> torch.Tensor:
            return (self.net(rows)[:, 0] - signs).square().mean()

    runner = toy_run(tmp_path, model=Plain(), **NOT_VALIDATING)

    runner.train()

    assert len(runner.message_hub.get_scalar("train/loss")) == 12


def test_weights_are_loaded_into_a_run_that_begins_anew(tmp_path: Path) -> None:
    first = toy_run(tmp_path / "first", **NOT_VALIDATING)
    first.train()

    second = toy_run(
        tmp_path / "second",
        load_from=str(tmp_path / "first" / "epoch_2.pth"),
        test_dataloader=DataLoader(toy_data(), batch_size=5),
        test_evaluator={"type": Share},
    )
    second.test()

    assert torch.equal(second.model.net.weight, first.model.net.weight)


def test_resuming_an_empty_folder_begins_anew(tmp_path: Path) -> None:
    runner = toy_run(tmp_path, resume=True, **NOT_VALIDATING)

    runner.train()

    assert runner.iter == 12


def test_a_finished_run_that_is_resumed_trains_no_further(tmp_path: Path) -> None:
    toy_run(tmp_path, **NOT_VALIDATING).train()
    again = toy_run(tmp_path, resume=True, **NOT_VALIDATING)

    again.train()

    assert again.iter == 12
    assert read_checkpoint(tmp_path / "epoch_2.pth")["meta"]["iter"] == 12


class StopAt(Hook):
    priority = "LOWEST"

    def __init__(self, iteration: int, code: int) -> None:
        self.iteration, self.code = iteration, code

    def after_train_iter(self, runner: Any, batch_idx: int, **rest: Any) -> None:
        if runner.iter + 1 == self.iteration:
            runner.stop_requests.request(self.code)


def test_a_run_that_is_asked_to_stop_saves_and_says_its_status(tmp_path: Path) -> None:
    runner = toy_run(tmp_path, custom_hooks=[StopAt(4, 143)])

    with pytest.raises(Stopped) as caught:
        runner.train()

    assert caught.value.code == 143
    assert caught.value.checkpoint == find_latest_checkpoint(tmp_path)
    assert read_checkpoint(str(caught.value.checkpoint))["meta"]["iter"] == 4


def test_ctrl_c_leaves_a_runner_that_goes_on_where_it_stopped(tmp_path: Path) -> None:
    straight = toy_run(tmp_path / "straight")
    straight.train()
    runner = toy_run(tmp_path / "stopped", custom_hooks=[StopAt(4, 130)])

    with pytest.raises(KeyboardInterrupt):
        runner.train()
    runner.train()

    assert runner.iter == 12
    assert torch.equal(runner.model.net.weight, straight.model.net.weight)


def test_hooks_get_their_exit_when_a_step_raises(tmp_path: Path) -> None:
    seen: list[str] = []

    class Witness(Hook):
        def after_train_iter(self, runner: Any, batch_idx: int, **rest: Any) -> None:
            raise ValueError("broken on purpose")

        def on_exception(self, runner: Any, error: BaseException) -> None:
            seen.append(str(error))

        def on_exit(self, runner: Any) -> None:
            seen.append("exit")

    with pytest.raises(ValueError, match="broken on purpose"):
        toy_run(tmp_path, custom_hooks=[Witness()]).train()

    assert seen == ["broken on purpose", "exit"]


def test_what_was_current_before_a_run_is_current_after_it(tmp_path: Path) -> None:
    with MessageHub("mine").as_current() as mine:
        toy_run(tmp_path, default_scope="mmengine").train()

        # Making a run enters its names; leaving its work puts back what was there.
        assert DefaultScope.get_current_instance() is None
        assert mine.log_scalars == {}


def test_two_runs_of_one_second_share_nothing(tmp_path: Path) -> None:
    first, second = toy_run(tmp_path), toy_run(tmp_path)

    assert first.log_dir != second.log_dir
    assert first.logger is not second.logger
    assert first.message_hub is not second.message_hub


def test_a_closed_run_frees_its_names_and_files(tmp_path: Path) -> None:
    with toy_run(tmp_path) as runner:
        name = runner.logger.instance_name

    assert not MMLogger.check_instance_created(name)
    assert not MessageHub.check_instance_created(name)
    assert not [one for one in logging.getLogger("tk").handlers if runner.logger in [one]]


def test_a_run_that_nobody_holds_is_closed(tmp_path: Path) -> None:
    runner = toy_run(tmp_path, **NOT_VALIDATING)
    runner.train()
    name, gone = runner.logger.instance_name, weakref.ref(runner)

    del runner
    gc.collect()

    assert gone() is None
    assert not MMLogger.check_instance_created(name)


def test_a_run_can_be_made_from_a_config(tmp_path: Path) -> None:
    cfg = Config(toy_arguments(tmp_path, **NOT_VALIDATING))

    runner = Runner.from_cfg(cfg)
    runner.train()

    assert runner.cfg is cfg
    assert runner.iter == 12


def test_a_config_with_mistakes_is_refused_with_all_of_them(tmp_path: Path) -> None:
    cfg = Config(
        {
            "model": {"type": Toy, "widht": 3},
            "work_dir": str(tmp_path / "work"),
            "train_dataloder": {"dataset": {"type": "NoSuchDataset"}, "batch_size": 4},
            "default_hooks": {"logger": {"type": "LogerHook"}},
        }
    )

    with pytest.raises(InvalidSettingsError) as caught:
        Runner.from_cfg(cfg)

    text = str(caught.value)
    assert "did you mean 'train_dataloader'?" in text
    assert "widht" in text
    assert "LoggerHook" in text
    assert not (tmp_path / "work").exists()


def test_a_missing_sampler_is_filled_in(tmp_path: Path) -> None:
    data = toy_data()
    loader = {"dataset": data, "batch_size": 5, "collate_fn": {"type": "default_collate"}}
    runner = toy_run(tmp_path, train_dataloader=loader, val_dataloader=loader)

    runner.train()

    assert runner.train_dataloader.sampler.shuffle
    assert not runner.val_dataloader.sampler.shuffle
    assert len(runner.val_dataloader) == 5


def test_a_dataset_of_length_zero_is_named(tmp_path: Path) -> None:
    class Nothing(torch.utils.data.Dataset[int]):
        def __len__(self) -> int:
            return 0

    with pytest.raises(ValueError, match="Nothing"):
        toy_run(tmp_path, train_dataloader={"dataset": Nothing(), "batch_size": 1}).train()


def test_learning_rates_follow_the_batch_size(tmp_path: Path) -> None:
    runner = toy_run(
        tmp_path,
        optim_wrapper={"optimizer": {"type": "SGD", "lr": 0.1}, "accumulative_counts": 2},
        auto_scale_lr={"enable": True, "base_batch_size": 16},
        **NOT_VALIDATING,
    )

    runner.train()

    # 4 samples, 2 batches in an update: half of what the rate was chosen for
    assert runner.optim_wrapper.get_lr()["lr"] == [pytest.approx(0.05)]


def test_a_schedule_without_an_end_ends_with_the_run(tmp_path: Path) -> None:
    runner = toy_run(
        tmp_path,
        param_scheduler={
            "type": "LinearLR",
            "start_factor": 1.0,
            "end_factor": 0.0,
            "by_epoch": False,
        },
        **NOT_VALIDATING,
    )

    runner.train()

    assert runner.optim_wrapper.get_lr()["lr"] == [pytest.approx(0.0)]


def test_a_dataset_can_be_registered_and_named(tmp_path: Path) -> None:
    DATASETS.register_module("ToyRows", module=toy_data, force=True)
    loader = {
        "dataset": {"type": "ToyRows"},
        "batch_size": 4,
        "collate_fn": {"type": "default_collate"},
    }
    runner = toy_run(tmp_path, train_dataloader=loader, **NOT_VALIDATING)

    runner.train()

    assert runner.iter == 12


def test_a_file_without_the_state_of_a_run_is_not_gone_on_with(tmp_path: Path) -> None:
    torch.save({"net.weight": torch.ones(2, 3)}, tmp_path / "weights.pth")
    run = toy_run(tmp_path / "work", resume=str(tmp_path / "weights.pth"))

    with pytest.raises(CheckpointError, match=r"no state of a run.*load_from"):
        run.train()


def test_loading_that_failed_is_tried_again_by_the_next_call(tmp_path: Path) -> None:
    first = toy_run(tmp_path / "first")
    first.train()
    file = tmp_path / "later.pth"
    run = toy_run(tmp_path / "work", resume=file)
    with pytest.raises(FileNotFoundError):
        run.train()

    (tmp_path / "first" / "epoch_2.pth").rename(file)
    run.train()

    assert torch.equal(run.model.net.weight, first.model.net.weight)


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"strategy": "ddp"}, "strategy: a strategy is built from a dict"),
        ({"strategy": 3.5 + 1j}, "strategy must be a strategy or the config of one"),
        ({"time_budget_s": "1h"}, "time_budget_s must be a number"),
    ],
)
def test_settings_of_a_wrong_kind_are_named(
    tmp_path: Path, settings: dict[str, Any], text: str
) -> None:
    with pytest.raises((InvalidSettingsError, TypeError), match=text):
        toy_run(tmp_path, **settings)


def test_a_subclass_may_change_how_a_run_saves_and_begins(tmp_path: Path) -> None:
    class Mine(Runner):
        def save_checkpoint(self, out_dir: str, filename: str, **content: Any) -> str:
            return super().save_checkpoint(out_dir, f"mine_{filename}", **content)

        def resume(self, filename: str, **options: Any) -> None:
            self.resumed_from = Path(filename).name
            super().resume(filename, **options)

    Mine(**toy_arguments(tmp_path, **NOT_VALIDATING)).train()
    again = Mine(**toy_arguments(tmp_path, resume=True, **NOT_VALIDATING))
    again.train()

    assert again.resumed_from == "mine_epoch_2.pth"


def test_the_visualizer_is_looked_up_in_the_scope_of_the_run(tmp_path: Path) -> None:
    visualizers = Registry("visualizer", parent=VISUALIZERS, scope="toylib")

    @visualizers.register_module()
    class ToyVisualizer(Visualizer):
        pass

    with toy_run(tmp_path, default_scope="toylib", visualizer={"type": "ToyVisualizer"}) as run:
        assert isinstance(run.visualizer, ToyVisualizer)
    del VISUALIZERS.children["toylib"]


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"model_wrapper_cfg": {"type": "MMDistributedDataParallel"}}, "no effect on one process"),
        ({"cfg": {"runner_type": "Other"}}, "runner_type='Other' has no effect on a Runner"),
        ({"cfg": {"tta_model": {"type": "X"}}}, "nothing reads tta_model"),
    ],
    ids=["wrapper", "runner type", "augmentation"],
)
def test_a_setting_without_effect_is_told_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, settings: dict[str, Any], sentence: str
) -> None:
    toy_run(tmp_path, log_level="WARNING", **settings, **NOT_VALIDATING).train()

    assert caplog.text.count(sentence) == 1


def test_pairs_of_convolution_and_norm_are_computed_as_one_where_the_config_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named: list[Any] = []
    monkeypatch.setattr(
        "tk_runner.run.training.turn_on_efficient_conv_bn_eval",
        lambda model, modules: named.append((type(model), modules)),
    )

    toy_run(tmp_path, cfg={"efficient_conv_bn_eval": ["net"]}, **NOT_VALIDATING).train()

    assert named == [(Toy, ["net"])]
