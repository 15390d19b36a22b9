from __future__ import annotations

import logging

import pytest

from tk_logging import InvalidArgumentError, MMLogger, UnknownLoggerError, print_log


def test_without_a_logger_it_prints(capsys: pytest.CaptureFixture[str]) -> None:
    print_log("hello")

    assert capsys.readouterr().out == "hello\n"


def test_a_logger_gets_it_with_the_place_of_the_caller(caplog: pytest.LogCaptureFixture) -> None:
    print_log("careful", logging.getLogger("somewhere"), logging.WARNING)

    (record,) = caplog.records
    assert (record.name, record.levelname) == ("somewhere", "WARNING")
    assert record.funcName == "test_a_logger_gets_it_with_the_place_of_the_caller"


def test_silent_is_nowhere(
    caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    print_log("hello", "silent", logging.ERROR)

    assert caplog.records == []
    assert capsys.readouterr().out == ""


def test_current_is_the_logger_of_the_current_run(caplog: pytest.LogCaptureFixture) -> None:
    MMLogger.get_instance("first")
    MMLogger.get_instance("second")
    print_log("hello", "current")
    with MMLogger.get_instance("first").as_current():
        print_log("hello", "current")

    assert [record.name for record in caplog.records] == ["tk.second", "tk.first"]


def test_a_name_is_an_instance_s(caplog: pytest.LogCaptureFixture) -> None:
    MMLogger.get_instance("first")
    MMLogger.get_instance("second")
    print_log("hello", "first")

    assert [record.name for record in caplog.records] == ["tk.first"]


def test_an_unknown_name_is_refused_with_the_nearest() -> None:
    MMLogger.get_instance("first")

    with pytest.raises(UnknownLoggerError, match="created: first; did you mean 'first'"):
        print_log("hello", "frist")
    with pytest.raises(ValueError, match=r"MMLogger\.get_instance\('zzz'\)"):
        print_log("hello", "zzz")


def test_another_kind_is_a_type_error() -> None:
    with pytest.raises(InvalidArgumentError, match="'silent' or None, got int"):
        print_log("hello", 3)  # type: ignore[arg-type]
