"""Data-loading processes that are killed or frozen at any moment: one clear error, nothing lost."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import threading
import time
from pathlib import Path

import pytest
from dying import FAILED, forked
from run_comparison import differences
from whole_runs import last_checkpoint, train, trained

ATTEMPTS = 12


def children() -> list[int]:
    """The processes that this one started."""
    tasks = Path(f"/proc/{os.getpid()}/task").glob("*/children")
    return [int(pid) for task in tasks for pid in task.read_text().split()]


def train_and_send(number: int, after_s: float, work_dir: Path) -> None:
    """Train with two workers, one of which gets a signal some time after it was started."""

    def send() -> None:
        while not children():
            time.sleep(0.005)
        time.sleep(after_s)
        for worker in children()[:1]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(worker, number)

    threading.Thread(target=send, daemon=True).start()
    train(work_dir, num_workers=2)


def test_a_killed_worker_is_one_error_and_the_run_goes_on_from_its_checkpoint(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert trained(tmp_path / "straight", num_workers=2) == 0
    expected = last_checkpoint(tmp_path / "straight")
    moments = random.Random(3)
    num_failed = 0

    for attempt in range(ATTEMPTS):
        work_dir = tmp_path / str(attempt)
        delay = moments.uniform(0.0, 0.2)
        capfd.readouterr()
        status = forked(lambda: train_and_send(signal.SIGKILL, delay, work_dir))  # noqa: B023
        told = capfd.readouterr().err
        assert status in (0, FAILED), f"attempt {attempt}: {told}"
        if status == FAILED:
            num_failed += 1
            assert "worker" in told.splitlines()[-1], told
        assert trained(work_dir, resume=True, num_workers=2) == 0
        assert differences(expected, last_checkpoint(work_dir)) == [], f"attempt {attempt}"

    assert num_failed > 0
