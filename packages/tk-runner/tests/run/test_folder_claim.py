from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from toy_run import NOT_VALIDATING, toy_run

from tk_runner import FolderInUseError
from tk_runner.run.folder_claim import NAME, training_in

HOLD = """
import fcntl, sys
file = open(sys.argv[1], "a+")
fcntl.lockf(file, fcntl.LOCK_EX)
file.write("process 7 on there")
file.flush()
print("held", flush=True)
sys.stdin.read()
"""
LOGGER = logging.getLogger("tk.test")


@pytest.fixture
def another_training(tmp_path: Path) -> Iterator[None]:
    """A process that trains in ``tmp_path``."""
    command = [sys.executable, "-c", HOLD, str(tmp_path / NAME)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        yield
        other.communicate()


@pytest.mark.usefixtures("another_training")
def test_a_second_training_in_the_folder_is_refused(tmp_path: Path) -> None:
    run = toy_run(tmp_path, **NOT_VALIDATING)

    with pytest.raises(FolderInUseError, match=r"process 7 on there trains in .* share_work_dir"):
        run.train()

    assert run.iter == 0
    assert (tmp_path / NAME).read_text() == "process 7 on there"


@pytest.mark.usefixtures("another_training")
def test_a_second_training_may_be_asked_for(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    run = toy_run(tmp_path, log_level="WARNING", share_work_dir=True, **NOT_VALIDATING)
    run.train()

    assert f"process 7 on there trains in {tmp_path} already" in caplog.text
    assert run.iter == 12


@pytest.mark.usefixtures("another_training")
def test_an_evaluation_in_the_folder_of_a_training_is_not_refused(tmp_path: Path) -> None:
    run = toy_run(tmp_path)

    assert set(run.val()) == {"toy/share"}


def test_where_there_are_no_locks_the_traces_of_another_training_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("tk_runner.run.folder_claim.fcntl", None)
    (tmp_path / NAME).write_text("process 7 on there")

    with training_in(tmp_path, LOGGER):
        pass

    assert "process 7 on there may be training" in caplog.text


def test_what_a_killed_training_leaves_behind_claims_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / NAME).write_text("process 7 on there")

    with training_in(tmp_path, LOGGER):
        assert (tmp_path / NAME).read_text().startswith(f"process {os.getpid()} ")

    assert caplog.text == ""
    assert not (tmp_path / NAME).exists()


def test_a_folder_that_cannot_be_written_is_not_claimed(tmp_path: Path) -> None:
    with training_in(tmp_path / "not there", LOGGER):
        pass


@pytest.mark.parametrize("kind", ["symlink_to", "hardlink_to"])
def test_a_link_in_the_place_of_the_claim_is_not_followed(tmp_path: Path, kind: str) -> None:
    precious = tmp_path / "precious"
    precious.write_text("years of work")
    work = tmp_path / "work"
    work.mkdir()
    getattr(work / NAME, kind)(precious)

    with training_in(work, LOGGER):
        assert (work / NAME).read_text().startswith(f"process {os.getpid()} ")

    assert precious.read_text() == "years of work"
