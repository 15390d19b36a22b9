"""Ranks end with the process that started them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

LAUNCHER = """
import os, sys, time
from pathlib import Path
from tk_dist import get_rank, launch

def job():
    path = Path(sys.argv[1]) / f"{get_rank()}"
    path.with_suffix(".part").write_text(str(os.getpid()))
    path.with_suffix(".part").rename(path)
    time.sleep(600)

launch(job, 2)
"""


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"


def wait_until(condition: object, limit_s: float = 60.0) -> None:
    deadline = time.monotonic() + limit_s
    while not condition() and time.monotonic() < deadline:  # type: ignore[operator]
        time.sleep(0.02)
    assert condition()  # type: ignore[operator]


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_ranks_end_with_a_launcher_that_is_killed(tmp_path: Path, number: signal.Signals) -> None:
    launcher = subprocess.Popen([sys.executable, "-c", LAUNCHER, str(tmp_path)])
    wait_until(lambda: (tmp_path / "0").exists() and (tmp_path / "1").exists())
    ranks = [int((tmp_path / name).read_text()) for name in ("0", "1")]
    os.kill(ranks[1], signal.SIGSTOP)  # a frozen one ends too

    launcher.send_signal(number)
    launcher.wait(10)

    wait_until(lambda: not any(map(is_alive, ranks)), 10.0)
