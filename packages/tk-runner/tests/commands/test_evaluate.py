"""``tk-runner val`` and ``tk-runner test``."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize("mode", ["val", "test"])
def test_a_checkpoint_is_evaluated(toy, mode: str) -> None:
    trained = toy.run("train", "cfg.py")
    said = toy.run(mode, "cfg.py", "work_dirs/cfg/epoch_2.pth")

    assert said.code == 0, said.err
    assert "loaded the weights of work_dirs/cfg/epoch_2.pth" in said.out
    error = trained.out.rpartition("toy/error   ")[2].split()[0]
    assert f"toy/error   {error}" in said.out


def test_resume_evaluates_the_newest_checkpoint(toy) -> None:
    toy.run("train", "cfg.py")
    said = toy.run("test", "cfg.py", "--resume")

    assert "loaded the weights of work_dirs/cfg/epoch_2.pth" in said.out


def test_evaluating_first_weights_is_warned_of(toy) -> None:
    said = toy.run("test", "cfg.py")

    assert said.code == 0
    assert "warning: no checkpoint is given" in said.err


def test_a_test_needs_no_training_part(toy) -> None:
    toy.write(train_dataloader=None, train_cfg=None, optim_wrapper=None)

    assert toy.run("test", "cfg.py").code == 0


def test_a_mode_without_data_says_what_to_give(toy) -> None:
    toy.write(test_dataloader=None, test_cfg=None, test_evaluator=None)
    said = toy.run("test", "cfg.py")

    assert said.code == 2
    assert "test_dataloader" in said.err
    assert "Traceback" not in said.err
