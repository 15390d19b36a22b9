"""What is not written: messages of other ranks, and warnings that were written before."""

from __future__ import annotations

import logging
from collections import OrderedDict
from threading import Lock

from .rank import current_rank


class FilterDuplicateWarning(logging.Filter):
    """Lets a warning through once for each text and place in the code.

    Args:
        name: as in ``logging.Filter``: loggers below it are filtered, others pass.
        max_remembered: how many warnings are remembered, the latest ones; an older
            one is written again.
    """

    def __init__(self, name: str = "", max_remembered: int = 1000) -> None:
        super().__init__(name)
        self.max_remembered = max_remembered
        self._seen: OrderedDict[tuple[str, int, int], None] = OrderedDict()
        self._lock = Lock()

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record is to be written."""
        if record.levelno != logging.WARNING or not super().filter(record):
            return True
        try:
            message = record.getMessage()
        except Exception:  # arguments that do not fit: the handler reports it
            return True
        # The hash of the text, not the text: memory stays bounded whatever is written.
        warning = (record.pathname, record.lineno, hash(message))
        with self._lock:
            is_new = warning not in self._seen
            self._seen[warning] = None
            self._seen.move_to_end(warning)
            if len(self._seen) > self.max_remembered:
                self._seen.popitem(last=False)
        return is_new

    def reset(self) -> None:
        """Forget all warnings; each is written once more."""
        with self._lock:
            self._seen.clear()


class MainRankFilter(logging.Filter):
    """Lets only errors through on other ranks than 0, as they are when a record comes."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record is to be written."""
        return record.levelno >= logging.ERROR or current_rank() == 0
