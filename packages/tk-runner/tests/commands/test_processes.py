"""The command as a process: exit status, several ranks, the import path."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from typing import Any

import pytest

from tk_runner import read_checkpoint


def wait_for(process: subprocess.Popen[str], text: str) -> str:
    """Read what the process says until a line has ``text``; the whole comes back."""
    said = ""
    assert process.stdout is not None
    for line in process.stdout:
        said += line
        if text in line:
            return said
    raise AssertionError(f"{text!r} was never said:\n{said}\n{process.communicate()}")


def test_the_working_folder_is_on_the_import_path(toy) -> None:
    (toy.folder / "own_parts.py").write_text("from toy_parts import *\n")
    toy.write(custom_imports={"imports": ["own_parts"]})
    said = toy.end(toy.start("train", "cfg.py", PYTHONSAFEPATH="1"))

    assert said.code == 0, said.err


def test_sigterm_from_outside_ends_with_143_and_the_printed_command_goes_on(toy) -> None:
    toy.write(train_cfg={"by_epoch": True, "max_epochs": 2000})
    process = toy.start("train", "cfg.py")
    wait_for(process, "Epoch(train) [   2]")
    process.send_signal(signal.SIGTERM)
    said = toy.end(process)

    assert said.code == 143
    assert "go on with: python -m tk_runner train cfg.py --resume" in said.err
    (saved,) = (toy.folder / "work_dirs/cfg").glob("iter_*.pth")
    assert (toy.folder / "work_dirs/cfg/last_checkpoint").read_text() == saved.name


def test_two_processes_train_as_one_run_and_only_one_talks(toy) -> None:
    said = toy.end(toy.start("train", "cfg.py", "--nproc-per-node", "2"))

    assert said.code == 0, said.err
    assert said.out.count("2 processes") == 1
    assert said.out.count("Epoch(val) [2]") == 1
    (found,) = (toy.folder / "work_dirs/cfg").glob("*/run.json")
    assert json.loads(found.read_text())["outcome"]["iter"] == 4


@pytest.mark.slow
def test_two_processes_with_workers_save_when_their_launcher_is_stopped(toy) -> None:
    loader: dict[str, Any] = {
        "batch_size": 4,
        "num_workers": 1,
        "dataset": {"type": "ToyData", "length": 4000, "delay_s": 0.005},
        "collate_fn": {"type": "default_collate"},
    }
    toy.write(train_dataloader=loader)
    process = toy.start("train", "cfg.py", "--nproc-per-node", "2")
    wait_for(process, "Epoch(train)")
    process.send_signal(signal.SIGTERM)
    said = toy.end(process)

    assert said.code == 143
    assert "go on with: tk-runner train cfg.py --nproc-per-node 2 --resume" in said.err
    (saved,) = (toy.folder / "work_dirs/cfg").glob("iter_*.pth")
    assert len(read_checkpoint(saved, verify=True)["ranks"]) == 2


@pytest.mark.slow
def test_two_processes_save_and_end_when_their_launcher_is_killed(toy) -> None:
    dataset = {"type": "ToyData", "length": 4000, "delay_s": 0.005}
    loader = {"batch_size": 4, "dataset": dataset, "collate_fn": {"type": "default_collate"}}
    toy.write(train_dataloader=loader)
    process = toy.start("train", "cfg.py", "--nproc-per-node", "2")
    wait_for(process, "Epoch(train)")
    process.kill()
    toy.end(process)  # returns once the last process has closed its output

    (saved,) = (toy.folder / "work_dirs/cfg").glob("iter_*.pth")
    assert len(read_checkpoint(saved, verify=True)["ranks"]) == 2


@pytest.mark.slow
def test_a_rank_that_fails_ends_the_run_with_its_traceback_first(toy) -> None:
    toy.write(val_evaluator={"type": "RaisingMetric"})
    began = time.monotonic()
    said = toy.end(toy.start("train", "cfg.py", "--nproc-per-node", "2"))

    assert said.code == 1
    assert time.monotonic() - began < 60
    assert "ZeroDivisionError: no sample was right" in said.err
    # The evaluator tells every rank of the error; one that has not heard yet is ended by name.
    peers = said.err.find("stops because rank")
    assert peers == -1 or said.err.index("ZeroDivisionError: no sample") < peers


@pytest.mark.parametrize("number", ["0", "two"])
def test_a_wrong_number_of_processes_is_told(toy, number: str) -> None:
    said = toy.run("train", "cfg.py", "--nproc-per-node", number)

    assert said.code == 2
    assert "give 1 or more" in said.err
