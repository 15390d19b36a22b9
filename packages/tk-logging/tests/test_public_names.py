from __future__ import annotations

import subprocess
import sys
from types import ModuleType

import pytest

import tk_logging


def test_the_public_names_are_exactly_these() -> None:
    shown = {
        name
        for name, value in vars(tk_logging).items()
        if not name.startswith("_") and not isinstance(value, ModuleType)
    } - {"annotations"}

    assert shown == set(tk_logging.__all__)
    assert tk_logging.__all__ == [
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


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no_such_name"):
        tk_logging.no_such_name


FIRST_USE = """
import sys
sys.modules["torch"] = None
import tk_logging
hub = tk_logging.MessageHub.get_instance("run")
hub.update_scalars({"loss": 1.0, "lr": dict(value=0.1, count=2)})
hub.get_scalar("loss").mean(10)
hub.load_state_dict(hub.state_dict())
with tk_logging.MMLogger.get_instance("run", log_file=sys.argv[1]) as logger:
    logger.info("here")
heavy = {"numpy", "rich", "logging.handlers"} & set(sys.modules)
assert not heavy, heavy
"""


def test_first_use_needs_neither_torch_nor_numpy_nor_rich(tmp_path) -> None:
    subprocess.run(
        [sys.executable, "-W", "error", "-c", FIRST_USE, str(tmp_path / "run.log")], check=True
    )
