"""A work folder belongs to nobody's disk: moved elsewhere, it is resumed and tested there."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import torch
import toy_training
from run_comparison import StopAfter, differences, last_checkpoint

from tk_runner import Stopped


def stop_in_the_middle(work_dir: Path) -> None:
    torch.manual_seed(1)
    with toy_training.runner(work_dir) as run:
        run.register_hook(StopAfter(12))
        with pytest.raises(Stopped):
            run.train()


def test_a_moved_folder_is_resumed_exactly_and_nothing_appears_in_the_old_place(
    tmp_path: Path,
) -> None:
    torch.manual_seed(1)
    with toy_training.runner(tmp_path / "whole") as whole:
        whole.train()
    old, new = tmp_path / "here" / "work", tmp_path / "there" / "another name"
    stop_in_the_middle(old)
    new.parent.mkdir()
    shutil.move(old, new)

    with toy_training.runner(new, resume=True) as run:
        run.train()

        assert run.iter == 24
        assert differences(last_checkpoint(whole), last_checkpoint(run)) == []
    assert not old.exists()


def test_a_moved_folder_goes_on_counting_its_best_and_kept_checkpoints(tmp_path: Path) -> None:
    hooks = {
        "checkpoint": {
            "type": "CheckpointHook",
            "max_keep_ckpts": 1,
            "save_best": "toy/accuracy",
            "rule": "greater",
        }
    }
    torch.manual_seed(1)
    with toy_training.runner(tmp_path / "old", default_hooks=hooks) as run:
        run.register_hook(StopAfter(20))
        with pytest.raises(Stopped):
            run.train()
    shutil.move(tmp_path / "old", tmp_path / "new")

    with toy_training.runner(tmp_path / "new", default_hooks=hooks, resume=True) as run:
        run.train()

    names = {path.name for path in (tmp_path / "new").glob("*.pth")}
    best = {name for name in names if name.startswith("best_toy_accuracy_epoch_")}
    assert len(best) == 1
    assert {name for name in names if name.startswith("epoch_")} == {"epoch_3.pth"}


def test_no_text_in_a_work_folder_names_the_place_where_it_stands(tmp_path: Path) -> None:
    stop_in_the_middle(tmp_path / "work")

    pointer = (tmp_path / "work" / "last_checkpoint").read_text()

    assert pointer.strip() == "iter_12.pth"
