"""What the system says of another rank's process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tk_dist.peer_process import PeerProcess, machine_name

ELSEWHERE = PeerProcess("another machine", 1)
needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="Linux only")


@pytest.fixture
def child() -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    yield process
    process.kill()
    process.communicate()


def wait_for(peer: PeerProcess, state: str) -> None:
    deadline = time.monotonic() + 10
    while peer.state != state and time.monotonic() < deadline:
        time.sleep(0.01)
    assert peer.state == state


@needs_proc
def test_a_process_runs_is_frozen_and_is_gone(child: subprocess.Popen[bytes]) -> None:
    peer = PeerProcess(machine_name(), child.pid)
    assert peer.state == "running"

    os.kill(child.pid, signal.SIGSTOP)
    wait_for(peer, "stopped")
    assert "frozen" in peer.problem(silence_s=5, timeout_s=60)

    os.kill(child.pid, signal.SIGKILL)
    wait_for(peer, "gone")  # not waited for by its parent, so it is still listed
    assert peer.problem(silence_s=5, timeout_s=60) == "its process was killed"


@needs_proc
def test_a_process_that_computes_may_be_silent_for_long() -> None:
    assert PeerProcess.own().problem(silence_s=1e6, timeout_s=60) == ""


def test_a_process_of_another_machine_is_lost_after_the_limit() -> None:
    assert ELSEWHERE.problem(silence_s=59, timeout_s=60) == ""
    assert "no sign of life for 60 s" in ELSEWHERE.problem(silence_s=60, timeout_s=60)


def test_a_short_silence_is_nothing() -> None:
    assert PeerProcess(machine_name(), 2**22).problem(silence_s=2, timeout_s=60) == ""
