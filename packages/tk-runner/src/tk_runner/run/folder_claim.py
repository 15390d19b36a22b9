"""One training at a time in a folder: a second one is told so.

Every file is written whole, but two runs replace and remove each other's. The
lock ends with its process, however that ends, and data workers do not inherit
it. It only warns: not every file system has locks.
"""

from __future__ import annotations

import errno
import logging
import os
import socket
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from tk_dist import is_main_process

fcntl: Any
try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

NAME = ".training"


@contextmanager
def training_in(work_dir: str | Path, logger: logging.Logger) -> Iterator[None]:
    """Claim the folder for a training, on rank 0; the log says who has it already."""
    if not is_main_process():
        yield
        return
    folder = Path(work_dir)
    try:
        file = _opened(folder / NAME)
    except OSError:  # what cannot be written is found elsewhere
        yield
        return
    with file:
        is_ours = _claim(file)
        if not is_ours:
            file.seek(0)
            logger.warning(
                "%s trains in %s already: both runs replace and remove each other's checkpoints; "
                "end one of them, or give this one a work_dir of its own",
                file.read().strip() or "another process",
                folder,
            )
        try:
            yield
        finally:
            if is_ours:
                with suppress(OSError):
                    (folder / NAME).unlink()


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


def _claim(file: IO[str]) -> bool:
    if fcntl is None:
        return True
    try:
        # Not flock: processes that outlive a killed run, such as its data workers, inherit that.
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno not in (errno.EACCES, errno.EAGAIN)  # no locks here: nobody is told
    file.truncate(0)
    file.write(f"process {os.getpid()} on {socket.gethostname()}")
    file.flush()
    return True
