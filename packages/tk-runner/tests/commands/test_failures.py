"""What goes wrong, tried as a new user would: each ends in a text that says what to do."""

from __future__ import annotations

import errno
import json
import os
import resource
from unittest.mock import Mock

import pytest


def test_a_wrong_path_names_the_nearest_config(toy) -> None:
    said = toy.run("train", "cfh.py")

    assert said.code == 2
    assert "there is no config cfh.py; did you mean 'cfg.py'?" in said.err


def test_a_wrong_folder_is_told(toy) -> None:
    said = toy.run("train", "configs/cfg.py")

    assert said.code == 2
    assert "the folder configs does not exist" in said.err


def test_misspelt_keys_names_and_arguments_are_told_at_once_with_their_lines(toy) -> None:
    toy.write(
        optim_wrapper=None,
        optim_wraper={"optimizer": {"type": "SGD", "lr": 0.01}},
        model={"type": "ToyModle"},
        val_evaluator={"type": "ToyMetric", "prefx": "a"},
    )
    said = toy.run("train", "cfg.py")

    assert said.code == 2
    assert "Traceback" not in said.err
    for text in ("'optim_wrapper'", "did you mean 'ToyModel'?", "prefx", "cfg.py:2"):
        assert text in said.err
    assert not (toy.folder / "work_dirs").exists()


def test_a_misspelt_option_names_the_nearest(toy) -> None:
    said = toy.run("train", "cfg.py", "--workdir", "x")

    assert said.code == 2
    assert "did you mean '--work-dir'?" in said.err


def test_a_misspelt_override_names_the_nearest(toy) -> None:
    said = toy.run("train", "cfg.py", "--cfg-options", "train_cfg.max_epoch=1")

    assert said.code == 2
    assert "max_epochs" in said.err


def test_an_error_in_the_code_of_a_config_is_told_with_its_line(toy) -> None:
    (toy.folder / "cfg.py").write_text("a = 1\nb = a / 0\n")
    said = toy.run("train", "cfg.py")

    assert said.code == 2
    assert "cfg.py" in said.err
    assert "division by zero" in said.err


def test_a_wrong_shape_shows_the_traceback_and_keeps_what_was_saved(toy) -> None:
    toy.run("train", "cfg.py", "--cfg-options", "train_cfg.max_epochs=1")
    said = toy.run(
        "train", "cfg.py", "--resume", "--cfg-options", "train_dataloader.dataset.width=5"
    )

    assert said.code == 1
    assert "toy_parts.py" in said.err
    assert "mat1 and mat2 shapes" in said.err
    assert "go on with:" in said.err
    assert (toy.folder / "work_dirs/cfg/epoch_1.pth").exists()


def test_a_full_disk_names_the_file_and_keeps_the_last_checkpoint(toy) -> None:
    toy.write(model={"type": "ToyModel", "weights": 200_000})
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    toy.run("train", "cfg.py", "--cfg-options", "train_cfg.max_epochs=1")
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
        said = toy.run("train", "cfg.py", "--resume")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    assert said.code == 1
    assert "epoch_2.pth" in said.err
    assert "what was saved before is whole" in said.err
    assert "Traceback" not in said.err
    assert "go on with:" in said.err
    assert toy.run("train", "cfg.py", "--resume").code == 0


def test_a_work_folder_below_a_file_is_told(toy) -> None:
    said = toy.run("train", "cfg.py", "--work-dir", "cfg.py/run")

    assert said.code == 1
    assert "--work-dir" in said.err
    assert "Traceback" not in said.err


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written_is_told(toy) -> None:
    (toy.folder / "closed").mkdir(mode=0o500)
    said = toy.run("train", "cfg.py", "--work-dir", "closed/run")

    assert said.code == 1
    assert "you may not write there" in said.err


def test_a_folder_that_is_refused_is_told(toy, monkeypatch: pytest.MonkeyPatch) -> None:
    error = PermissionError(errno.EACCES, "Permission denied", "closed/run")
    monkeypatch.setattr("pathlib.Path.mkdir", Mock(side_effect=error))
    said = toy.run("train", "cfg.py", "--work-dir", "closed/run")

    assert said.code == 1
    assert "closed/run" in said.err
    assert "you may not write there: give --work-dir a folder of your own" in said.err
    assert "Traceback" not in said.err


def test_a_launcher_that_did_not_start_the_process_is_told(toy) -> None:
    said = toy.run("train", "cfg.py", "--launcher", "pytorch")

    assert said.code == 2
    assert "start the program with: torchrun" in said.err


def test_an_early_ctrl_c_says_nothing_of_resuming(toy, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*args: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("tk_runner.commands.execution.config_problems", interrupt)
    said = toy.run("train", "cfg.py")

    assert (said.code, said.err) == (130, "")


def test_an_empty_dataset_is_told(toy) -> None:
    said = toy.run("train", "cfg.py", "--cfg-options", "train_dataloader.dataset.length=0")

    assert said.code == 1
    assert "nothing to load: ToyData has no samples" in said.err
    assert "Traceback" not in said.err


def test_a_metric_that_raises_loses_no_training(toy) -> None:
    toy.write(
        val_evaluator={"type": "RaisingMetric"},
        default_hooks={"checkpoint": {"type": "CheckpointHook", "interval": 100}},
    )
    said = toy.run("train", "cfg.py")

    assert said.code == 1
    assert "ZeroDivisionError: no sample was right" in said.err
    assert "toy_parts.py" in said.err
    assert (toy.folder / "work_dirs/cfg/iter_4.pth").exists()
    found = next((toy.folder / "work_dirs/cfg").glob("*/run.json"))
    assert "ZeroDivisionError" in json.loads(found.read_text())["outcome"]["reason"]

    toy.write()
    resumed = toy.run("train", "cfg.py", "--resume")

    assert resumed.code == 0, resumed.err
    assert resumed.out.index("Epoch(val) [1]") < resumed.out.index("Epoch(train) [2]")


def test_a_missing_checkpoint_names_the_nearest(toy) -> None:
    toy.run("train", "cfg.py")
    said = toy.run("test", "cfg.py", "work_dirs/cfg/epoch_3.pth")

    assert said.code == 2
    assert "did you mean 'epoch_2.pth'?" in said.err


def test_a_torn_checkpoint_that_is_named_is_told(toy) -> None:
    (toy.folder / "torn.pth").write_bytes(b"PK\x03\x04 and nothing more")
    said = toy.run("test", "cfg.py", "torn.pth")

    assert said.code == 1
    assert "torn.pth (21 bytes) is torn or no checkpoint" in said.err
    assert "Traceback" not in said.err
