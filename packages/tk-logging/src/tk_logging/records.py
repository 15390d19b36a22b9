"""Machine-readable records of a run: one JSON object a line, in one open file.

Lines are gathered and handed to the system whole: after ``kill -9`` the file holds
every line up to the last flush and no torn one. NaN and infinity are written as
Python's ``json`` reads them.
"""

from __future__ import annotations

import atexit
import json
import os
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from threading import RLock
from types import TracebackType
from typing import Any

from .errors import ClosedRecordError, InvalidArgumentError
from .scalars import is_tensor

_FLUSH_BYTES = 1 << 16


class RecordWriter:
    """Appends records to a file.

    Args:
        path: the file; missing folders are made. A line that a former writer left
            torn is cut off.
        flush_interval_s: a record that comes at least so long after the last flush is
            flushed at once, with all before it; 0 flushes every record.
    """

    def __init__(self, path: str | Path, flush_interval_s: float = 1.0) -> None:
        self.path = Path(path)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._flush_interval_s = flush_interval_s
        self._lines: list[bytes] = []
        self._num_bytes = 0
        self._last_flush_s = -float("inf")
        self._lock = RLock()
        self._owner = os.getpid()
        self._file = self.path.open("a+b", buffering=0)
        _cut_torn_line(self._file)
        atexit.register(self.close)

    def write(self, record: Mapping[str, Any]) -> None:
        """Add one record; it is not changed and may be reused.

        Raises:
            ClosedRecordError: the writer was closed.
        """
        if not isinstance(record, Mapping):
            raise InvalidArgumentError(f"a record is a dict, got {type(record).__name__}")
        text = _encode(dict(record))
        line = text.encode("utf-8", "backslashreplace") + b"\n"
        with self._lock:
            if self._file.closed:
                raise ClosedRecordError(f"{self.path} was closed; open another RecordWriter")
            self._lines.append(line)
            self._num_bytes += len(line)
            is_due = time.monotonic() - self._last_flush_s >= self._flush_interval_s
            if is_due or self._num_bytes >= _FLUSH_BYTES:
                self.flush()

    def flush(self) -> None:
        """Hand all records so far to the system; they survive the end of this process."""
        with self._lock:
            if os.getpid() != self._owner:
                self._lines.clear()  # a forked child: they are its parent's to write
            if self._lines:
                rest = memoryview(b"".join(self._lines))
                while rest:
                    rest = rest[self._file.write(rest) :]
            self._lines.clear()
            self._num_bytes = 0
            self._last_flush_s = time.monotonic()

    def close(self) -> None:
        """Flush and close; may be called again."""
        with self._lock:
            if not self._file.closed:
                try:
                    self.flush()
                finally:
                    self._file.close()
        atexit.unregister(self.close)

    def __enter__(self) -> RecordWriter:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def read_records(path: str | Path) -> Iterator[dict[str, Any]]:
    """The records of a file, in order; a last line that is torn is left out."""
    with Path(path).open("rb") as file:
        for line in file:
            if line.endswith(b"\n"):
                yield json.loads(line)


def _cut_torn_line(file: Any) -> None:
    end = file.seek(0, os.SEEK_END)
    begin = end
    while begin > 0:
        step = min(begin, 4096)
        file.seek(begin - step)
        found = file.read(step).rfind(b"\n")
        if found >= 0:
            begin += found + 1 - step
            break
        begin -= step
    if begin < end:
        file.truncate(begin)


def _plain(value: Any) -> Any:
    """What ``json`` cannot say by itself, as something it can."""
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if is_tensor(value):
        value = value.detach()
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=repr)
    return repr(value)


_encode = json.JSONEncoder(default=_plain, ensure_ascii=False).encode
