"""From an exception to what the user reads and the exit code.

A mistake in what the user typed or configured is told in a few lines. An error
in code that is not ours has its full traceback: that code is where to look.
"""

from __future__ import annotations

import errno
import sys
import sysconfig
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from tk_config import ConfigError
from tk_dist import DistError, LauncherError, MissingVariableError, PeerFailedError, get_world_size
from tk_evaluator import EvaluatorError
from tk_fileio import FileIOError
from tk_logging import LoggingError
from tk_optim import OptimError
from tk_registry import RegistryError

from ..errors import InvalidSettingsError, NotConfiguredError, RunnerError

FAILED, BAD_USAGE = 1, 2
OURS = (
    RunnerError,
    ConfigError,
    RegistryError,
    FileIOError,
    DistError,
    EvaluatorError,
    OptimError,
    LoggingError,
)
MISUSE = (
    InvalidSettingsError,
    NotConfiguredError,
    ConfigError,
    RegistryError,
    LauncherError,
    MissingVariableError,
)
PACKAGES = (
    "tk_config",
    "tk_dist",
    "tk_evaluator",
    "tk_fileio",
    "tk_logging",
    "tk_optim",
    "tk_registry",
    "tk_runner",
    "torch",
)
REMEDIES = {
    errno.ENOSPC: "the disk is full: free some space; what was saved before is whole",
    errno.EDQUOT: "your quota is used up: free some space; what was saved before is whole",
    errno.EFBIG: "files may not grow so large here (see ulimit -f); what was saved before is whole",
    errno.EACCES: "you may not write there: give --work-dir a folder of your own",
    errno.EPERM: "you may not write there: give --work-dir a folder of your own",
    errno.EROFS: "that disk is read-only: give --work-dir a folder that can be written",
    errno.ENOTDIR: "a part of that path is a file: give --work-dir another folder",
    errno.EEXIST: "a file has that name: give --work-dir another folder",
}


@dataclass(frozen=True)
class Failure:
    """What is told of an error.

    ``is_whole_story`` says that this rank's own text is worth showing whoever it is.
    """

    text: str
    code: int
    is_whole_story: bool

    def show(self) -> None:
        """Write it to standard error."""
        if not self.text:
            return
        sys.stderr.write(self.text if self.text.endswith("\n") else f"{self.text}\n")
        sys.stderr.flush()


def explain(error: Exception) -> Failure:
    """A short text for the user's mistakes, the traceback for errors in the user's code."""
    if isinstance(error, PeerFailedError):
        line = str(error).splitlines()[0]  # the rest is the other rank's traceback, shown by it
        return Failure(f"tk-runner: {line}", FAILED, is_whole_story=True)
    code = BAD_USAGE if isinstance(error, MISUSE) else FAILED
    if isinstance(error, (*OURS, OSError)) and not _meets_user_code(error):
        return Failure(f"tk-runner: error: {_told(error)}", code, is_whole_story=False)
    shown = "" if get_world_size() > 1 else "".join(traceback.format_exception(error))
    text = f"{shown}tk-runner: error: {type(error).__name__}{_place(error)}: {error}"
    return Failure(text if shown else "", code, is_whole_story=True)


def _place(error: BaseException) -> str:
    """File and line of the user's code that the error went through last."""
    frames = traceback.extract_tb(error.__traceback__)
    theirs = [frame for frame in frames if not frame.filename.startswith(_installed())]
    return f" in {theirs[-1].filename}:{theirs[-1].lineno}" if theirs else ""


def _told(error: Exception) -> str:
    if not isinstance(error, OSError) or isinstance(error, OURS):
        return str(error)
    remedy = REMEDIES.get(error.errno or 0)
    return f"{error}; {remedy}" if remedy else str(error)


def _meets_user_code(error: BaseException) -> bool:
    """Whether the error, or one that led to it, passed through code that is not installed."""
    return any(
        not frame.startswith(_installed())
        for one in _chain(error)
        for frame in _files(one.__traceback__)
    )


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def _files(trace: TracebackType | None) -> Iterator[str]:
    while trace is not None:
        yield trace.tb_frame.f_code.co_filename
        trace = trace.tb_next


def _installed() -> tuple[str, ...]:
    """Beginnings of the paths of installed code: Python's, the packages', and ours."""
    folders = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    folders |= {
        str(Path(module.__file__).parent)
        for name, module in tuple(sys.modules.items())
        if name.partition(".")[0] in PACKAGES and "." not in name and module.__file__
    }
    return ("<frozen", *folders)
