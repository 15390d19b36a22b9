"""Who hangs, and where."""

from __future__ import annotations

import io
import time

import pytest

import tk_dist
from tk_dist import LauncherError, Watchdog, launch


def wait_until_printed(stream: io.StringIO, limit_s: float = 10.0) -> str:
    deadline = time.monotonic() + limit_s
    while not stream.getvalue() and time.monotonic() < deadline:
        time.sleep(0.01)
    return stream.getvalue()


def test_the_stacks_are_printed_when_nothing_moves() -> None:
    stream = io.StringIO()
    with Watchdog(0.05, stream=stream):
        text = wait_until_printed(stream)

    assert "rank 0 of 1: no beat for" in text
    assert "in wait_until_printed" in text


def test_a_stall_is_printed_once_and_again_after_a_beat() -> None:
    stream = io.StringIO()
    with Watchdog(0.05, stream=stream) as watchdog:
        wait_until_printed(stream)
        time.sleep(0.2)
        once = stream.getvalue().count("no beat")
        stream.truncate(0)
        watchdog.beat()
        again = wait_until_printed(stream)

    assert once == 1
    assert "no beat" in again


def test_nothing_is_printed_while_beats_come() -> None:
    stream = io.StringIO()
    with Watchdog(5.0, stream=stream) as watchdog:
        for _ in range(10):
            watchdog.beat()
            time.sleep(0.01)

    assert stream.getvalue() == ""


def test_all_ranks_print_when_one_stalls() -> None:
    def job() -> str:
        stream = io.StringIO()
        with Watchdog(0.4, stream=stream) as watchdog:
            if tk_dist.get_rank() == 1:
                return stalls_here(stream)
            while not stream.getvalue():
                watchdog.beat()  # this one moves, and is asked for its stacks
                time.sleep(0.01)
            return stream.getvalue()

    def stalls_here(stream: io.StringIO) -> str:
        return wait_until_printed(stream)

    texts = launch(job, 3, timeout_s=30)

    assert [f"rank {rank} of 3" in text for rank, text in enumerate(texts)] == [True] * 3
    assert "stalls_here" in texts[1]
    assert "stalls_here" not in texts[0]


def test_no_time_is_refused() -> None:
    with pytest.raises(LauncherError, match="no time to wait"):
        Watchdog(0)
