"""`MMLogger`: an ordinary logger under ``tk``, with a console and files of its own.

A run's logger is in the tree of ``logging``, so that root handlers, configuration and
test tools see it. Messages of libraries under ``tk`` reach the handlers of the run
that is current where they are written: two runs in one process do not mix.
"""

from __future__ import annotations

import logging
from pathlib import Path
from types import TracebackType
from typing import Any

from tk_registry import InstanceError, ManagerMixin

from .errors import InvalidArgumentError
from .handlers import ConsoleHandler, close_quietly, file_handler, path_of_rank
from .rank import current_rank, world_size
from .tree import enter_tree, leave_tree

ROOT_NAME = "tk"


class MMLogger(logging.Logger, ManagerMixin):
    """Writes the messages of one run to the console and, if asked, to files.

    ``logging.getLogger("tk.<name>")`` is the same object. Close it at the end of the
    run, or use it in a ``with`` block.

    Args:
        name: under which ``get_instance`` finds it.
        logger_name: what the lines show as their logger.
        log_file: file of rank 0; missing folders are made.
        log_level: least level that is written, on the console and to files. Ranks
            other than 0 show errors only on the console.
        file_mode: ``"w"`` or ``"a"``.
        distributed: let every rank write a file of its own, named after it; so does a
            level of DEBUG or below.
        file_handler_cfg: another kind of file, ``type`` being a class of
            ``logging.handlers``, with its arguments.
    """

    def __init__(
        self,
        name: str,
        logger_name: str = ROOT_NAME,
        log_file: str | Path | None = None,
        log_level: int | str = "INFO",
        file_mode: str = "w",
        distributed: bool = False,
        file_handler_cfg: dict[str, Any] | None = None,
    ) -> None:
        ManagerMixin.__init__(self, name)
        logging.Logger.__init__(self, f"{ROOT_NAME}.{name}")
        self._log_file: str | None = None
        self._is_closed = False
        self.setLevel(log_level)
        handlers: list[logging.Handler] = [ConsoleHandler(logger_name)]
        every_rank = (distributed or self.level <= logging.DEBUG) and world_size() > 1
        if log_file is not None and (every_rank or current_rank() == 0):
            path = path_of_rank(log_file) if every_rank else Path(log_file)
            file = file_handler(path, file_mode, logger_name, file_handler_cfg)
            self._log_file = file.baseFilename
            handlers.append(file)
        enter_tree(self)  # only now that nothing can fail any more
        for handler in handlers:
            self.addHandler(handler)
        _library_messages.add(self)

    @property
    def log_file(self) -> str | None:
        """Path of the file that this process writes; None where it writes none."""
        return self._log_file

    @property
    def is_closed(self) -> bool:
        """Whether the run has ended and its files are closed."""
        return self._is_closed

    @classmethod
    def get_current_instance(cls) -> MMLogger:
        """The logger that was last made current; one named ``tk`` where there is none at all."""
        if not cls._instance_dict:
            cls.get_instance(ROOT_NAME)
        return super().get_current_instance()

    def setLevel(self, level: int | str) -> None:  # noqa: N802  # the name in logging
        """Write only records of at least this level, on the console and to files."""
        try:
            super().setLevel(level.upper() if isinstance(level, str) else level)
        except (ValueError, TypeError) as error:
            raise InvalidArgumentError(
                f"log_level {level!r} is unknown; use DEBUG, INFO, WARNING, ERROR, CRITICAL "
                "or a number"
            ) from error
        _library_messages.follow_levels()

    def close(self) -> None:
        """End the run's messages: files are flushed and closed, the name is free again."""
        self._is_closed = True
        for handler in list(self.handlers):
            self.removeHandler(handler)
            close_quietly(handler)
        _library_messages.discard(self)
        leave_tree(self)
        if type(self)._instance_dict.get(self.instance_name) is self:
            self.forget_instance(self.instance_name)

    def __enter__(self) -> MMLogger:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        return _found_again, (self.instance_name,)


class LibraryMessages(logging.Handler):
    """Gives messages of libraries under ``tk`` to the handlers of the current run.

    Attached to the logger ``tk`` while there are runs; where nobody set its level, it
    follows the lowest of theirs.
    """

    def __init__(self) -> None:
        super().__init__()
        self._runs: list[MMLogger] = []
        self._level_is_ours = False

    def add(self, run: MMLogger) -> None:
        """A run begins."""
        self._runs = [*self._runs, run]
        root = logging.getLogger(ROOT_NAME)
        root.addHandler(self)
        self._level_is_ours = self._level_is_ours or root.level == logging.NOTSET
        self.follow_levels()

    def discard(self, run: MMLogger) -> None:
        """A run ends."""
        self._runs = [other for other in self._runs if other is not run]
        if not self._runs:
            root = logging.getLogger(ROOT_NAME)
            root.removeHandler(self)
            if self._level_is_ours:
                root.setLevel(logging.NOTSET)
                self._level_is_ours = False
        self.follow_levels()

    def follow_levels(self) -> None:
        """Let the libraries' messages through that some run wants."""
        if self._level_is_ours and self._runs:
            logging.getLogger(ROOT_NAME).setLevel(min(run.level for run in self._runs))

    def emit(self, record: logging.LogRecord) -> None:
        """Hand the record to the current run, unless it comes from a run."""
        if any(
            record.name == run.name or record.name.startswith(f"{run.name}.") for run in self._runs
        ):
            return
        run = self._current()
        if run is None or record.levelno < run.level:
            return
        for handler in run.handlers:
            if record.levelno >= handler.level:
                handler.handle(record)

    def _current(self) -> MMLogger | None:
        """The run that this context belongs to; None where there are several, and none is."""
        run = None
        if MMLogger._instance_dict:
            try:
                run = MMLogger.get_current_instance()
            except InstanceError:
                return None
        if run is None or run.is_closed:
            run = self._runs[0] if len(self._runs) == 1 else None
        return run


_library_messages = LibraryMessages()


def _found_again(name: str) -> MMLogger:
    return MMLogger.get_instance(name)
