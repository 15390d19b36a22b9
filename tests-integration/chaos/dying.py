"""A process that is killed, or fails, at a chosen file operation.

The operations are counted where Python reports them: files opened for writing,
renamed, removed, folders made (audit events), and every write and sync of a
descriptor. A write of more than a few bytes counts twice and reaches the disk in
halves, so that a process can die between them.
"""

from __future__ import annotations

import os
import signal
import sys
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

EVENTS = {"os.rename", "os.remove", "os.mkdir", "os.link", "os.symlink", "os.truncate", "os.rmdir"}
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
FAILED = 70


class Operations:
    """Counts file operations below a folder, and calls ``action`` at number ``last``."""

    def __init__(self, folder: Path, last: int | None, action: Callable[[], None]) -> None:
        self.count = 0
        self._folder = str(folder)
        self._last = last
        self._action = action
        self._pid = os.getpid()

    def step(self) -> None:
        """One more operation."""
        if os.getpid() != self._pid:
            return  # a data-loading process
        if self.count == self._last:
            self.count += 1
            self._action()
        self.count += 1

    def watch(self) -> None:
        """Count from now on; for the rest of this process."""
        sys.addaudithook(self._audit)
        fdopen, fsync = os.fdopen, os.fsync

        def stepping_fsync(descriptor: int) -> None:
            self.step()
            fsync(descriptor)

        os.fdopen = lambda *args, **options: _SlowFile(fdopen(*args, **options), self.step)  # type: ignore[assignment]
        os.fsync = stepping_fsync  # type: ignore[assignment]

    def _audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event in EVENTS:
            is_write = True
        elif event == "open":
            is_write = bool(arguments[2] & WRITING) if len(arguments) > 2 else False
        else:
            return
        if is_write and str(arguments[0]).startswith(self._folder):
            self.step()


class _SlowFile:
    """Each write is an operation; longer ones go to the disk in halves."""

    def __init__(self, file: Any, step: Callable[[], None]) -> None:
        self._file = file
        self._step = step

    def write(self, data: Any) -> int:
        half = len(data) // 2 if len(data) > 1000 else 0
        for part in (data[:half], data[half:]) if half else (data,):
            self._step()
            self._file.write(part)
            self._file.flush()
        return len(data)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def __enter__(self) -> _SlowFile:
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()


def killed() -> None:
    """End this process as a power cut would."""
    os.kill(os.getpid(), signal.SIGKILL)


def forked(action: Callable[[], object]) -> int:
    """Run ``action`` in a new process; its exit status, or minus the signal that ended it."""
    sys.stdout.flush()
    sys.stderr.flush()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # fork beside torch's threads
        child = os.fork()
    if child == 0:
        try:
            action()
        except SystemExit as end:
            os._exit(int(end.code or 0))
        except BaseException:
            traceback.print_exc()
            sys.stderr.flush()
            os._exit(FAILED)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
