"""How one message looks: time, logger, level, where an error is, text."""

from __future__ import annotations

import logging
import os
from typing import Any, TextIO

from .errors import InvalidValueError

CONSOLE_TIME = "%m/%d %H:%M:%S"
FILE_TIME = "%Y/%m/%d %H:%M:%S"

_RED, _GREEN, _YELLOW, _WHITE = "31", "32", "33", "37"
_COLORS = {"ERROR": _RED, "CRITICAL": _RED, "WARNING": _YELLOW, "INFO": _WHITE, "DEBUG": _GREEN}


class MMFormatter(logging.Formatter):
    """``<time> - <logger> - <LEVEL> - <message>``, with file, function and line from ERROR on.

    Args:
        color: underline and colour the level for a terminal.
        blink: let errors and warnings blink; only with ``color``.
        logger_name: shown instead of the record's own logger name.
        **kwargs: of ``logging.Formatter``, such as ``datefmt``.
    """

    def __init__(
        self, color: bool = True, blink: bool = False, logger_name: str = "", **kwargs: Any
    ) -> None:
        if blink and not color:
            raise InvalidValueError("blink=True needs color=True; give both or neither")
        super().__init__(**kwargs)
        self._color = color
        self._blink = blink
        self._logger_name = logger_name
        self._latest_time = (-1, "")  # of which second, and how it is written

    def formatTime(  # noqa: N802  # the name that logging calls
        self, record: logging.LogRecord, datefmt: str | None = None
    ) -> str:
        """The record's time, put into words once for each second."""
        if datefmt is None:  # with milliseconds
            return super().formatTime(record)
        second, text = self._latest_time
        if second != int(record.created):
            text = super().formatTime(record, datefmt)
            self._latest_time = (int(record.created), text)
        return text

    def usesTime(self) -> bool:  # noqa: N802  # the name that logging calls
        """Always: the time is not part of a format string here."""
        return True

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802  # as above
        """One line; a traceback is added by ``format``."""
        parts = [record.asctime, self._logger_name or record.name, self._level(record.levelname)]
        if record.levelno >= logging.ERROR:
            parts += [record.pathname, record.funcName or "", str(record.lineno)]
        return " - ".join([*parts, record.message])

    def _level(self, name: str) -> str:
        if not self._color or name not in _COLORS:
            return name
        codes = ["4", _COLORS[name]]
        if self._blink and name in ("ERROR", "CRITICAL", "WARNING"):
            codes.insert(0, "5")
        return f"\x1b[{';'.join(codes)}m{name}\x1b[0m"


def wants_color(stream: TextIO) -> bool:
    """Whether a stream is a terminal that shows colours, and the user did not object."""
    if not getattr(stream, "isatty", lambda: False)():  # first: a line to a file asks nothing else
        return False
    return not (os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb")
