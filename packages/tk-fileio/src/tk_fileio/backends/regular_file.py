"""Opening a local file for reading, and only a file.

Opening a pipe waits for somebody who writes, reading a terminal or a device may
never end; both would hang a run that was given a wrong path.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)  # a pipe is opened without waiting, and then refused
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


def open_regular(path: Path) -> BinaryIO:
    """A stream over the file at ``path``.

    Raises:
        IsADirectoryError: it is a folder.
        OSError: it is a pipe, a socket or a device.
    """
    try:
        descriptor = os.open(path, _FLAGS)
    except OSError as error:
        if error.errno == errno.ENXIO:  # a socket
            raise _not_a_file(path) from error
        raise
    try:
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        if not stat.S_ISREG(mode):
            raise _not_a_file(path)
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def read_regular(path: Path) -> bytes:
    """The whole content of the file at ``path``.

    Raises:
        MemoryError: it is larger than the memory; the text has the size. And as for
            `open_regular`.
    """
    with open_regular(path) as file:
        try:
            return file.read()
        except MemoryError as error:
            size_bytes = os.fstat(file.fileno()).st_size
            raise MemoryError(
                f"{str(path)!r} has {size_bytes} bytes, more than there is memory for; "
                "read it piece by piece with open_read"
            ) from error


def _not_a_file(path: Path) -> OSError:
    return OSError(
        errno.EINVAL,
        "a pipe, socket or device is not read as a file; open it and pass the open file",
        str(path),
    )
