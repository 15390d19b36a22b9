"""The logger of a run, and a name for its instances that no other run of the process has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tk_logging import MessageHub, MMLogger

from ..visualization import Visualizer


def unused_name(wanted: str) -> str:
    """``wanted``, or ``wanted`` with a number where a run of this process took it already."""
    name, number = wanted, 1
    kinds = (MMLogger, MessageHub, Visualizer)
    while any(kind.check_instance_created(name) for kind in kinds):
        number += 1
        name = f"{wanted}_{number}"
    return name


def build_logger(name: str, log_dir: str, stamp: str, level: int | str, **options: Any) -> MMLogger:
    """A logger that writes to the terminal and to ``<log_dir>/<stamp>.log``."""
    options.setdefault("log_file", str(Path(log_dir) / f"{stamp}.log"))
    options.setdefault("file_mode", "a")
    return MMLogger.get_instance(name, log_level=level, **options)
