"""The log processor of a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tk_registry import LOG_PROCESSORS

from ..log_lines.log_processor import LogProcessor


def build_log_processor(log_processor: Any) -> Any:
    """A log processor out of one, a config, or nothing."""
    if log_processor is None or isinstance(log_processor, Mapping):
        return LOG_PROCESSORS.build(log_processor or {}, default_args={"type": LogProcessor})
    return log_processor
