from __future__ import annotations

import io
import logging

import pytest

from tk_logging import InvalidValueError, MMFormatter
from tk_logging.formatter import wants_color


def line(formatter: MMFormatter, level: int) -> str:
    record = logging.LogRecord("tk.exp", level, "/src/a.py", 7, "text %d", (3,), None, "work")
    return formatter.format(record).split(" - ", 1)[1]


@pytest.mark.parametrize("level", ["DEBUG", "INFO", "WARNING"])
def test_a_message_shows_logger_level_and_text(level: str) -> None:
    formatter = MMFormatter(color=False)

    assert line(formatter, getattr(logging, level)) == f"tk.exp - {level} - text 3"


@pytest.mark.parametrize("level", ["ERROR", "CRITICAL"])
def test_an_error_shows_where_it_was(level: str) -> None:
    formatter = MMFormatter(color=False, logger_name="mine")
    line(formatter, logging.INFO)

    expected = f"mine - {level} - /src/a.py - work - 7 - text 3"
    assert line(formatter, getattr(logging, level)) == expected


def test_colour_and_blinking_are_codes_around_the_level() -> None:
    assert "\x1b[4;37mINFO\x1b[0m" in line(MMFormatter(), logging.INFO)
    assert "\x1b[4;33mWARNING\x1b[0m" in line(MMFormatter(), logging.WARNING)
    assert "\x1b[5;4;31mERROR\x1b[0m" in line(MMFormatter(blink=True), logging.ERROR)


def test_blinking_without_colour_is_refused() -> None:
    with pytest.raises(InvalidValueError, match="blink=True needs color=True"):
        MMFormatter(color=False, blink=True)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_gets_colour_unless_the_user_objects(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert wants_color(Terminal())
    assert not wants_color(io.StringIO())
    monkeypatch.setenv("TERM", "dumb")
    assert not wants_color(Terminal())
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "1")
    assert not wants_color(Terminal())


def test_the_time_is_that_of_each_record_though_it_is_worded_once_a_second() -> None:
    form = MMFormatter(color=False, datefmt="%S")
    record = logging.LogRecord("tk", logging.INFO, "here.py", 1, "text", (), None)
    shown = []
    for created in (100.0, 100.9, 101.0, 100.5):
        record.created = created
        shown.append(form.format(record).partition(" ")[0])

    assert shown == ["40", "40", "41", "40"]
