"""Signals at random moments: the run saves, says so by its status, and resumes to the same end."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from dying import forked
from run_comparison import differences
from whole_runs import last_checkpoint, train, trained

from tk_runner import Hook

SIGNALS = [signal.SIGTERM, signal.SIGINT, signal.SIGUSR1, signal.SIGHUP]


@pytest.mark.parametrize("num_workers", [0, 2])
@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_at_any_moment_loses_nothing(
    number: signal.Signals, num_workers: int, tmp_path: Path
) -> None:
    assert trained(tmp_path / "straight", num_workers=num_workers) == 0
    expected = last_checkpoint(tmp_path / "straight")
    moments = random.Random(int(number))
    num_stopped = 0

    for attempt in range(8):
        work_dir = tmp_path / str(attempt)
        status = _signalled(number, moments, work_dir, num_workers)
        assert status in (0, 128 + number), f"attempt {attempt}"
        num_stopped += status != 0
        assert trained(work_dir, resume=True, num_workers=num_workers) == 0
        assert differences(expected, last_checkpoint(work_dir)) == [], f"attempt {attempt}"

    assert num_stopped > 0


def _signalled(
    number: signal.Signals, moments: random.Random, work_dir: Path, num_workers: int
) -> int:
    """Start a run, send the signal once it trains; its exit status."""
    from_run, to_parent = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(from_run)
        os._exit(forked(lambda: _train_and_tell(to_parent, work_dir, num_workers)) & 0xFF)
    os.close(to_parent)
    run = int(os.read(from_run, 20) or 0)  # empty where it ended before it trained
    os.close(from_run)
    time.sleep(moments.uniform(0.0, 0.25))
    if run:
        with contextlib.suppress(ProcessLookupError):  # it was done already
            os.kill(run, number)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _train_and_tell(to_parent: int, work_dir: Path, num_workers: int) -> None:
    class TellThatItTrains(Hook):
        def before_train(self, runner: Any) -> None:
            os.write(to_parent, str(os.getpid()).encode())
            os.close(to_parent)

    train(work_dir, num_workers=num_workers, custom_hooks=[{"type": "EMAHook"}, TellThatItTrains()])
