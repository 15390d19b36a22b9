"""Two runs of one process, one after the other or in two threads, share nothing by accident."""

from __future__ import annotations

import multiprocessing
import threading
from pathlib import Path
from typing import Any

import pytest
import torch
import toy_training
from run_comparison import StopAfter
from torch import Tensor

from tk_logging import MessageHub, MMLogger
from tk_registry import MODELS, DefaultScope, Registry
from tk_runner import Runner, Stopped, Visualizer

SCOPES = ("runs_a", "runs_b")
for scope in SCOPES:
    Registry("model", parent=MODELS, scope=scope)


class LooksAround(toy_training.Classifier):
    """A model that finds its run by what is current, as models of users do."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: set[tuple[str, ...]] = set()

    def forward(self, points: Tensor, labels: Tensor, mode: str = "tensor") -> Any:
        managers = (MMLogger, MessageHub, Visualizer)
        names = tuple(one.get_current_instance().instance_name for one in managers)
        self.seen.add((*names, DefaultScope.get_current_instance().scope_name))
        MMLogger.get_current_instance().info("a line of %s", names[0])
        return super().forward(points, labels, mode)


def start(work_dir: Path, scope: str) -> Runner:
    return toy_training.runner(
        work_dir, model=LooksAround(), default_scope=scope, log_level="INFO", experiment_name="same"
    )


def one_after_the_other(runs: list[Runner]) -> None:
    for run in runs:
        run.train()


def in_two_threads(runs: list[Runner]) -> None:
    errors: list[BaseException] = []
    at_once = threading.Barrier(len(runs))

    def train(run: Runner) -> None:
        try:
            at_once.wait(timeout=60)
            run.train()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=train, args=(run,)) for run in runs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors, errors


@pytest.mark.parametrize("train_all", [one_after_the_other, in_two_threads])
@pytest.mark.parametrize("in_one_folder", [False, True], ids=["two folders", "one folder"])
def test_each_run_has_its_own_logger_hub_scope_and_folder(
    train_all: Any, in_one_folder: bool, tmp_path: Path
) -> None:
    folders = [tmp_path / "work" if in_one_folder else tmp_path / scope for scope in SCOPES]
    runs = [start(folder, scope) for folder, scope in zip(folders, SCOPES, strict=True)]

    train_all(runs)

    assert runs[0].log_dir != runs[1].log_dir
    for run, other in (runs, reversed(runs)):
        (seen,) = run.model.seen
        assert seen[3] == run.default_scope
        assert run.logger.instance_name == seen[0] != other.logger.instance_name
        assert run.message_hub.instance_name == seen[1] != other.message_hub.instance_name
        assert len(run.message_hub.get_scalar("train/loss").data[0]) == 24
        log = log_of(run)
        assert f"a line of {seen[0]}\n" in log
        assert f"a line of {other.logger.instance_name}\n" not in log
    close(runs)


def log_of(run: Runner) -> str:
    (path,) = Path(run.log_dir).glob("*.log")
    return path.read_text()


def close(runs: list[Runner]) -> None:
    for run in runs:
        run.close()


def test_runs_one_after_the_other_give_what_each_gives_alone(tmp_path: Path) -> None:
    losses = []
    for number in range(2):
        torch.manual_seed(1)
        with toy_training.runner(tmp_path / str(number)) as run:
            run.train()
            losses.append(run.message_hub.get_scalar("train/loss").data[0].tolist())

    assert losses[0] == losses[1]


def test_when_a_run_is_over_what_was_current_before_is_current_again(tmp_path: Path) -> None:
    outer = MessageHub.get_instance("outer of the test")
    with toy_training.runner(tmp_path) as run, outer.as_current():
        run.train()

        assert MessageHub.get_current_instance() is outer
    outer.forget_instance("outer of the test")


@pytest.mark.parametrize("by_epoch", [True, False], ids=["epochs", "iterations"])
@pytest.mark.parametrize("persistent", [True, False], ids=["persistent", "anew"])
def test_a_run_leaves_no_process_however_it_ends(
    by_epoch: bool, persistent: bool, tmp_path: Path
) -> None:
    loaders = [toy_training.loader(num_workers=1, persistent_workers=persistent) for _ in range(2)]
    with toy_training.runner(
        tmp_path, by_epoch=by_epoch, train_dataloader=loaders[0], val_dataloader=loaders[1]
    ) as run:
        run.register_hook(StopAfter(10))
        with pytest.raises(Stopped):
            run.train()
        assert multiprocessing.active_children() == []

        run.train()
        assert multiprocessing.active_children() == []

    assert run.iter == 24
