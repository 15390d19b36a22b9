"""Killed at any file operation of a whole training and started again: the same end, bit for bit."""

from __future__ import annotations

import os
import random
import shutil
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from dying import Operations, forked, killed
from run_comparison import differences
from whole_runs import last_checkpoint, train, trained

NEVER = None
NUM_SHARES = 6


def train_until(operation: int | None, work_dir: Path, count_file: Path | None = None) -> None:
    operations = Operations(work_dir, operation, killed)
    operations.watch()
    train(work_dir)
    if count_file is not None:
        count_file.write_text(str(operations.count))


@pytest.fixture(scope="module")
def straight(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], int]:
    """The last checkpoint of a run that nothing happened to, and its number of file operations."""
    folder = tmp_path_factory.mktemp("straight")
    count_file = folder.parent / "count"
    assert forked(lambda: train_until(NEVER, folder, count_file)) == 0
    return last_checkpoint(folder), int(count_file.read_text())


@pytest.mark.parametrize("share", range(NUM_SHARES))
def test_a_run_killed_at_any_file_operation_ends_like_one_that_was_not(
    share: int, straight: tuple[dict[str, Any], int], tmp_path: Path
) -> None:
    expected, count = straight
    assert count > 100

    for operation in range(share, count, NUM_SHARES):
        work_dir = tmp_path / str(operation)
        assert forked(lambda: train_until(operation, work_dir)) == -signal.SIGKILL  # noqa: B023
        assert trained(work_dir, resume=True) == 0, f"operation {operation}"
        assert differences(expected, last_checkpoint(work_dir)) == [], f"operation {operation}"
        shutil.rmtree(work_dir)


def test_a_run_killed_three_times_at_random_moments_ends_like_one_that_was_not(
    straight: tuple[dict[str, Any], int], tmp_path: Path
) -> None:
    expected, _ = straight
    moments = random.Random(5)

    for attempt in range(20):
        work_dir = tmp_path / str(attempt)
        for _ in range(3):
            _killed_after(moments.uniform(0.05, 0.6), work_dir)
        assert trained(work_dir, resume=True) == 0, f"attempt {attempt}"
        assert differences(expected, last_checkpoint(work_dir)) == [], f"attempt {attempt}"


def _killed_after(seconds: float, work_dir: Path) -> None:
    def action() -> None:
        if os.fork() == 0:
            train(work_dir, resume=True)
            os._exit(0)
        time.sleep(seconds)
        os.killpg(0, signal.SIGKILL)

    forked(lambda: (os.setpgrp(), action()))
