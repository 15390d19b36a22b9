"""`print_log`: one door for messages, wherever they shall go."""

from __future__ import annotations

import logging

from tk_registry import did_you_mean

from .errors import InvalidArgumentError, UnknownLoggerError
from .logger import MMLogger


def print_log(
    msg: object, logger: logging.Logger | str | None = None, level: int = logging.INFO
) -> None:
    """Write a message.

    Args:
        msg: the message.
        logger: a logger; the name of an `MMLogger`; ``"current"`` for the one of the
            current run; ``"silent"`` for nowhere; None to print.
        level: level of the message.

    Raises:
        UnknownLoggerError: no `MMLogger` of that name was created.
        InvalidArgumentError: ``logger`` is something else.
    """
    if logger is None:
        print(msg)  # noqa: T201  # what None asks for
    elif logger == "silent":
        return
    else:
        _named(logger).log(level, msg, stacklevel=2)


def _named(logger: object) -> logging.Logger:
    if isinstance(logger, logging.Logger):
        return logger
    if not isinstance(logger, str):
        raise InvalidArgumentError(
            "logger is a logging.Logger, the name of an MMLogger, 'current', 'silent' or None, "
            f"got {type(logger).__name__}"
        )
    if logger == "current":
        return MMLogger.get_current_instance()
    if MMLogger.check_instance_created(logger):
        return MMLogger.get_instance(logger)
    known = sorted(MMLogger._instance_dict)
    hint = did_you_mean(logger, known, f"create it with MMLogger.get_instance({logger!r})")
    raise UnknownLoggerError(
        f"no MMLogger is called {logger!r}; created: {', '.join(known) or 'none yet'}; {hint}"
    )
