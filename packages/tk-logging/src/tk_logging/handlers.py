"""Where messages go: the console, and files, one for each rank when asked."""

from __future__ import annotations

import logging
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from .errors import InvalidArgumentError, InvalidValueError
from .filters import FilterDuplicateWarning, MainRankFilter
from .formatter import CONSOLE_TIME, FILE_TIME, MMFormatter, wants_color
from .rank import current_rank, device_id

if TYPE_CHECKING:
    _StreamHandler = logging.StreamHandler[TextIO]
else:  # Python 3.10 has no subscript for it
    _StreamHandler = logging.StreamHandler


class ConsoleHandler(_StreamHandler):
    """Writes to what ``sys.stdout`` is when a record comes, as notebooks and tests need it."""

    def __init__(self, logger_name: str) -> None:
        logging.Handler.__init__(self)
        self._color = MMFormatter(color=True, logger_name=logger_name, datefmt=CONSOLE_TIME)
        self._plain = MMFormatter(color=False, logger_name=logger_name, datefmt=CONSOLE_TIME)
        self.addFilter(MainRankFilter())
        self.addFilter(FilterDuplicateWarning())

    @property
    def stream(self) -> TextIO:  # type: ignore[override]  # the base sets an attribute, once
        """The standard output of this moment."""
        return sys.stdout

    def format(self, record: logging.LogRecord) -> str:
        """The record in the console's form, or in the one that ``setFormatter`` gave."""
        if self.formatter is None:
            form = self._color if wants_color(self.stream) else self._plain
            return form.format(record)
        return super().format(record)


def file_handler(
    path: str | Path, mode: str, logger_name: str, settings: Mapping[str, Any] | None = None
) -> logging.FileHandler:
    """A handler that appends or writes to ``path``; missing folders are made.

    Args:
        path: the file.
        mode: ``"w"`` or ``"a"``.
        logger_name: shown in every line.
        settings: ``type``, a file handler of ``logging`` or ``logging.handlers`` by
            name, and its arguments, which win over ``path`` and ``mode``.
    """
    arguments: dict[str, Any] = {"filename": str(path), "mode": mode, "encoding": "utf-8"}
    kind: type[logging.FileHandler] = logging.FileHandler
    if settings is not None:
        kind = _handler_class(settings)
        if kind.__name__ == "TimedRotatingFileHandler":
            del arguments["mode"]  # it always appends
        arguments.update({key: value for key, value in settings.items() if key != "type"})
    Path(arguments["filename"]).parent.mkdir(parents=True, exist_ok=True)
    handler = kind(**arguments)
    handler.setFormatter(MMFormatter(color=False, logger_name=logger_name, datefmt=FILE_TIME))
    handler.addFilter(FilterDuplicateWarning())
    handler.handleError = _TellOnce(handler)  # type: ignore[method-assign]
    return handler


def close_quietly(handler: logging.Handler) -> None:
    """Close a handler; what a full disk keeps from being written is told of once, not raised."""
    try:
        handler.close()
    except OSError:
        handler.handleError(logging.makeLogRecord({}))


class _TellOnce:
    """Says in one line that a log file cannot be written; other errors are shown as ever."""

    def __init__(self, handler: logging.FileHandler) -> None:
        self._path = handler.baseFilename
        self._show = handler.handleError
        self._was_told = False

    def __call__(self, record: logging.LogRecord) -> None:
        error = sys.exc_info()[1]
        if not isinstance(error, OSError):
            self._show(record)
        elif not self._was_told:
            self._was_told = True
            text = f"the log file {self._path} cannot be written, so messages are missing in it: "
            print(text + str(error), file=sys.stderr)  # noqa: T201 - the log itself is broken


def path_of_rank(path: str | Path) -> Path:
    """``run.log`` as ``run_<user@host>_device<id>_rank<rank>.log``."""
    import getpass  # only where every rank writes a file
    import socket

    try:
        owner = f"{getpass.getuser()}@{socket.gethostname()}_"
    except (OSError, KeyError, ImportError):  # a container may know no name for its user
        owner = ""
    path = Path(path)
    name = f"{path.stem}_{owner}device{device_id()}_rank{current_rank()}{path.suffix}"
    return path.with_name(name.replace("/", "-"))


def _handler_class(settings: object) -> type[logging.FileHandler]:
    import logging.handlers  # 8 ms, and only for rotating files

    if not isinstance(settings, Mapping) or "type" not in settings:
        raise InvalidArgumentError(
            "file_handler_cfg is a dict with 'type', such as dict(type='RotatingFileHandler', "
            f"maxBytes=10_000_000, backupCount=3), got {settings!r:.120}"
        )
    name = settings["type"]
    for module in (logging.handlers, logging):
        kind = getattr(module, str(name), None)
        if isinstance(kind, type) and issubclass(kind, logging.FileHandler):
            return kind
    known = sorted(
        kind.__name__
        for kind in vars(logging.handlers).values()
        if isinstance(kind, type) and issubclass(kind, logging.FileHandler)
    )
    raise InvalidValueError(
        f"file_handler_cfg type {name!r} is no file handler of logging.handlers; "
        f"choose one of {', '.join(['FileHandler', *known])}"
    )
