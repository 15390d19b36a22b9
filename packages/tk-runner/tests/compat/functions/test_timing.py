"""Stopwatches."""

from __future__ import annotations

import logging

import pytest

from tk_runner.compat.functions.timing import TimeCounter, Timer, TimerError, check_time


def test_a_timer_runs_from_its_start(capsys: pytest.CaptureFixture[str]) -> None:
    timer = Timer(start=False)
    assert not timer.is_running
    with pytest.raises(TimerError, match=r"call start\(\) first"):
        timer.since_start()
    timer.start()
    assert timer.is_running
    assert 0 <= timer.since_last_check() <= timer.since_start()


def test_a_block_prints_its_time(capsys: pytest.CaptureFixture[str]) -> None:
    with Timer(print_tmpl="took {:.1f} s"):
        pass

    assert capsys.readouterr().out == "took 0.0 s\n"


def test_a_named_timer_begins_at_zero() -> None:
    assert check_time("a name of this test") == 0
    assert check_time("a name of this test") >= 0


def test_calls_are_counted_after_the_warm_up(caplog: pytest.LogCaptureFixture) -> None:
    logger = logging.getLogger("tk.test_timing")
    caplog.set_level("INFO", logger="tk.test_timing")

    @TimeCounter(log_interval=2, warmup_interval=1, logger=logger)
    def work() -> int:
        return 1

    assert [work() for _ in range(4)] == [1] * 4
    assert caplog.text.count("[work]-time per run averaged") == 2


def test_counters_of_one_tag_count_together() -> None:
    assert TimeCounter(tag="shared in a test") is TimeCounter(tag="shared in a test")


def test_what_cannot_be_counted_is_an_error() -> None:
    with pytest.raises(AssertionError, match="warmup_interval must be at least 1"):
        TimeCounter(warmup_interval=0)
    with pytest.raises(AssertionError, match="needs a tag"), TimeCounter():
        pass
