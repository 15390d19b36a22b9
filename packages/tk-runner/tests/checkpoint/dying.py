"""A process that is killed at a chosen step of what it writes."""

from __future__ import annotations

import os
import signal
import warnings
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any


class _Steps:
    """Counts the steps, and kills the process at one of them."""

    def __init__(self, last: int) -> None:
        self._left = last

    def __call__(self) -> None:
        self._left -= 1
        if self._left < 0:
            os.kill(os.getpid(), signal.SIGKILL)


class _SlowFile:
    """Each write is a step; longer ones go to the disk in two halves, with a step between."""

    def __init__(self, file: Any, step: _Steps) -> None:
        self._file = file
        self._step = step

    def write(self, data: Any) -> int:
        half = len(data) // 2 if len(data) > 100 else 0
        for part in (data[:half], data[half:]) if half else (data,):
            self._step()
            self._file.write(part)
            self._file.flush()
        return len(data)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


def deaths(action: Callable[[], object]) -> Iterator[int]:
    """Run the action in a new process again and again, killed one step later each time.

    Yields after each death; ends when the action got through.
    """
    for last in count():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # fork beside torch's threads
            child = os.fork()
        if child == 0:
            _die_or_do(action, last)
        _, status = os.waitpid(child, 0)
        if os.WIFEXITED(status):
            assert os.WEXITSTATUS(status) == 0, "the action failed before it was killed"
            return
        yield last


def _die_or_do(action: Callable[[], object], last: int) -> None:
    step = _Steps(last)
    fdopen, fsync, replace = os.fdopen, os.fsync, Path.replace

    def stepping_fsync(descriptor: int) -> None:
        step()
        fsync(descriptor)

    def stepping_replace(self: Path, target: Any) -> Path:
        step()
        moved = replace(self, target)
        step()
        return moved

    os.fdopen = lambda *args, **kwargs: _SlowFile(fdopen(*args, **kwargs), step)  # type: ignore[assignment]
    os.fsync = stepping_fsync  # type: ignore[assignment]
    Path.replace = stepping_replace  # type: ignore[assignment,method-assign]
    try:
        action()
    except BaseException:
        os._exit(1)
    os._exit(0)
