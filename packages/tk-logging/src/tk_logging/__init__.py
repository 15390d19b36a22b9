"""Loggers and a message hub whose scalars never stall the device."""

import typing

from .errors import (
    ClosedRecordError,
    DuplicateStatisticError,
    EmptyHistoryError,
    InvalidArgumentError,
    InvalidValueError,
    LoggingError,
    NotPlainError,
    ResumedFlagError,
    ScalarShapeError,
    ScalarTypeError,
    StateError,
    UnknownLoggerError,
    UnknownScalarError,
    UnknownStatisticError,
    WindowError,
)
from .filters import FilterDuplicateWarning
from .formatter import MMFormatter
from .history import HistoryBuffer
from .hub import MessageHub
from .keys import scalar_key
from .logger import MMLogger
from .messages import print_log
from .plain_values import PlainConverter
from .recorder import Recorder
from .records import RecordWriter, read_records

__all__ = [
    "ClosedRecordError",
    "DuplicateStatisticError",
    "EmptyHistoryError",
    "FilterDuplicateWarning",
    "HistoryBuffer",
    "InvalidArgumentError",
    "InvalidValueError",
    "LoggingError",
    "MMFormatter",
    "MMLogger",
    "MessageHub",
    "NotPlainError",
    "PlainConverter",
    "RecordWriter",
    "Recorder",
    "ResumedFlagError",
    "ScalarShapeError",
    "ScalarTypeError",
    "StateError",
    "UnknownLoggerError",
    "UnknownScalarError",
    "UnknownStatisticError",
    "WindowError",
    "print_log",
    "read_records",
    "scalar_key",
]

if typing.TYPE_CHECKING:
    __version__: str
else:  # a type checker that saw it would take any name for public

    def __getattr__(name: str) -> str:
        if name == "__version__":
            from importlib.metadata import version  # slow, and seldom asked

            return version("tk-logging")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
