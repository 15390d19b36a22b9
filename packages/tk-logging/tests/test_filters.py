from __future__ import annotations

import logging

import pytest

from tk_logging import FilterDuplicateWarning, MMLogger
from tk_logging.filters import MainRankFilter


def record(
    message: str, *args: object, line: int = 1, level: int = logging.WARNING
) -> logging.LogRecord:
    return logging.LogRecord("tk.exp", level, "here.py", line, message, args, None)


def test_a_warning_is_written_once_for_each_text_and_place() -> None:
    once = FilterDuplicateWarning()

    assert once.filter(record("lr is %s", 1))
    assert not once.filter(record("lr is %s", 1))
    assert once.filter(record("lr is %s", 2))
    assert once.filter(record("lr is %s", 1, line=2))


@pytest.mark.parametrize("level", [logging.INFO, logging.ERROR])
def test_other_levels_are_repeated(level: int) -> None:
    once = FilterDuplicateWarning()

    assert all(once.filter(record("again", level=level)) for _ in range(3))


def test_memory_is_bounded_and_the_oldest_is_written_again() -> None:
    once = FilterDuplicateWarning(max_remembered=10)
    for number in range(1000):
        once.filter(record("%d", number))

    assert len(once._seen) == 10
    assert not once.filter(record("%d", 999))
    assert once.filter(record("%d", 0))


def test_after_a_reset_warnings_are_written_once_more() -> None:
    once = FilterDuplicateWarning()
    once.filter(record("again"))
    once.reset()

    assert once.filter(record("again"))


def test_other_loggers_are_left_alone() -> None:
    once = FilterDuplicateWarning("other")

    assert all(once.filter(record("again")) for _ in range(2))


def test_a_run_shows_a_repeated_warning_once(capsys: pytest.CaptureFixture[str]) -> None:
    logger = MMLogger.get_instance("exp")
    for _ in range(3):
        logger.warning("careful")

    assert capsys.readouterr().out.count("careful") == 1


def test_the_rank_counts_when_the_message_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    main = MainRankFilter()
    assert main.filter(record("x"))
    monkeypatch.setenv("RANK", "2")

    assert not main.filter(record("x"))
    assert main.filter(record("x", level=logging.ERROR))


def test_arguments_that_do_not_fit_are_left_to_the_handler() -> None:
    assert FilterDuplicateWarning().filter(record("%d", "no number"))
