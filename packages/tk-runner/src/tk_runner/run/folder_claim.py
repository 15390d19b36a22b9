"""One training at a time in a folder: a second one is refused.

Every file is written whole, but two runs replace and remove each other's. The
lock ends with its process, however that ends, and data workers do not inherit
it. Where a file system has no locks, the log says whose traces are there.
"""

from __future__ import annotations

import errno
import logging
import os
import socket
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from tk_dist import broadcast_object_list, is_main_process

from ..errors import FolderInUseError

fcntl: Any
try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

NAME = ".training"


@contextmanager
def training_in(
    work_dir: str | Path, logger: logging.Logger, *, is_shared: bool = False
) -> Iterator[None]:
    """Claim the folder for a training; every rank must enter, rank 0 holds the claim.

    Args:
        work_dir: the folder.
        logger: is told where a claim is not possible.
        is_shared: go on beside another training; the log says who it is.

    Raises:
        FolderInUseError: another training is alive in the folder.
    """
    folder = Path(work_dir)
    with ExitStack() as stack:
        owner = [_enter_claim(stack, folder, logger) if is_main_process() else None]
        broadcast_object_list(owner)
        if owner[0] is not None:
            text = (
                f"{owner[0]} trains in {folder} already, and both would replace and remove each "
                "other's checkpoints"
            )
            if not is_shared:
                raise FolderInUseError(
                    f"{text}; wait for it or end it, give this training a work_dir of its own, or "
                    "set share_work_dir=True"
                )
            logger.warning("%s", text)
        yield


def _enter_claim(stack: ExitStack, folder: Path, logger: logging.Logger) -> str | None:
    """Hold the claim until ``stack`` closes; None, or who else has it."""
    try:
        file = stack.enter_context(_opened(folder / NAME))
    except OSError:  # what cannot be written is found elsewhere
        return None
    former = file.read().strip()
    try:
        is_ours = _lock(file)
    except OSError:
        if former:
            logger.warning(
                "%s may be training in %s: this file system has no locks that would tell; make "
                "sure that no two trainings share the folder",
                former,
                folder,
            )
        is_ours = True
    if not is_ours:
        return former or "another process"
    file.seek(0)
    file.truncate(0)
    file.write(f"process {os.getpid()} on {socket.gethostname()}")
    file.flush()
    stack.callback(_release, folder / NAME)
    return None


def _release(path: Path) -> None:
    with suppress(OSError):
        path.unlink()


def _opened(path: Path) -> IO[str]:
    """The file to lock. A link in its place is removed: it would lead to somebody else's file."""
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
    for _ in range(2):
        if path.is_symlink():
            path.unlink()
        file = os.fdopen(os.open(path, flags, 0o666), "r+")
        status = os.fstat(file.fileno())
        if stat.S_ISREG(status.st_mode) and status.st_nlink <= 1:
            return file
        file.close()
        path.unlink()
    raise OSError(f"{path} is replaced again and again")


def _lock(file: IO[str]) -> bool:
    """Whether the lock is ours now.

    Raises:
        OSError: there are no locks here.
    """
    if fcntl is None:
        raise OSError("no locks on this system")
    try:
        # Not flock: processes that outlive a killed run, such as its data workers, inherit that.
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EACCES, errno.EAGAIN):
            return False
        raise
    return True
