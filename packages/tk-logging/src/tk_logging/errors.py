"""The errors of tk_logging: one base, and each is also the built-in that callers catch."""

from __future__ import annotations


class LoggingError(Exception):
    """Base of every error that tk_logging raises on purpose."""

    def __str__(self) -> str:  # KeyError would show the repr of the text
        return str(self.args[0]) if self.args else ""


class ScalarTypeError(LoggingError, TypeError):
    """A value that is not one number, where one number is recorded."""


class ScalarShapeError(LoggingError, ValueError):
    """An array or tensor with another number of elements than one."""


class InvalidArgumentError(LoggingError, TypeError):
    """An argument of a wrong kind."""


class InvalidValueError(LoggingError, ValueError):
    """An argument of the right kind that cannot be meant."""


class WindowError(LoggingError, ValueError):
    """A window over values that are no longer kept, or that was never opened."""


class EmptyHistoryError(LoggingError, ValueError):
    """A statistic that needs at least one value, asked of a history without any."""


class UnknownScalarError(LoggingError, KeyError):
    """A scalar that a hub does not hold."""


class UnknownStatisticError(LoggingError, KeyError):
    """A statistic that was never registered."""


class DuplicateStatisticError(LoggingError, ValueError):
    """Two different functions want to be the statistic of one name."""


class ResumedFlagError(LoggingError, ValueError):
    """One name is to be both saved in checkpoints and left out of them."""


class StateError(LoggingError, ValueError):
    """A saved state that does not have the form of one."""


class UnknownLoggerError(LoggingError, ValueError):
    """A logger's name under which nothing was created."""


class ClosedRecordError(LoggingError, ValueError):
    """A record for a file that was closed."""


class NotPlainError(LoggingError, TypeError):
    """A value that is neither a tensor nor a plain one, so that no safe loader reads it."""
