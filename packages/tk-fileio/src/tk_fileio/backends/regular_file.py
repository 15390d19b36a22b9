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

_AT_ONCE_BYTES = 1 << 20
_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)  # a pipe is opened without waiting, and then refused
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


def open_regular(path: str | Path) -> BinaryIO:
    """A stream over the file at ``path``.

    Raises:
        IsADirectoryError: it is a folder.
        OSError: it is a pipe, a socket or a device.
    """
    return os.fdopen(_opened(path)[0], "rb")


def read_regular(path: str | Path) -> bytes:
    """The whole content of the file at ``path``.

    Raises:
        MemoryError: it is larger than the memory; the text has the size. And as for
            `open_regular`.
    """
    descriptor, size_bytes = _opened(path)
    try:
        if 0 < size_bytes <= _AT_ONCE_BYTES:
            # Half the time of a file object, which is most of the time for a small file.
            content = os.read(descriptor, size_bytes + 1)
            if len(content) == size_bytes:
                return content
            os.lseek(descriptor, 0, os.SEEK_SET)  # it is being written to
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            return file.read()
    except MemoryError as error:
        raise MemoryError(
            f"{str(path)!r} has {size_bytes} bytes, more than there is memory for; "
            "read it piece by piece with open_read"
        ) from error
    finally:
        os.close(descriptor)


def _opened(path: str | Path) -> tuple[int, int]:
    """The descriptor and the size of a regular file."""
    try:
        descriptor = os.open(path, _FLAGS)
    except OSError as error:
        if error.errno == errno.ENXIO:  # a socket
            raise _not_a_file(path) from error
        raise
    status = os.fstat(descriptor)
    if stat.S_ISREG(status.st_mode):
        return descriptor, status.st_size
    os.close(descriptor)
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    raise _not_a_file(path)


def _not_a_file(path: str | Path) -> OSError:
    return OSError(
        errno.EINVAL,
        "a pipe, socket or device is not read as a file; open it and pass the open file",
        str(path),
    )
