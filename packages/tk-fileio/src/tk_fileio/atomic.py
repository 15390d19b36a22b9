"""Writing a file so that it is whole or absent.

The one function of the project that puts a file in place: staged beside the
target, flushed, forced to disk, renamed, and the folder forced to disk as well.
Whatever fails on the way, the file that was there before still is. Nothing here
knows about formats or backends.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, Literal, TextIO, overload

from .uri import StrPath, local_path

if sys.platform != "win32":
    import fcntl

_MODES = ("w", "wb", "w+", "w+b", "wb+")
_STAGE_SUFFIX = ".tk-part"
_STAGE_FLAGS = (
    os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
)
# Errors of the disk, which the kernel reports without saying for which file.
_DISK_ERRORS = {errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EFBIG, errno.EROFS}
_FORGOTTEN_AFTER_S = 86_400.0  # only where no lock can tell that the writer is dead

# The stages of this process, whose own locks do not stop it. They are known by the random part
# of their names, since a folder has many paths: relative, through a link, with "..".
_in_flight: set[str] = set()


@overload
def atomic_write(
    path: StrPath, mode: Literal["wb", "w+b", "wb+"] = "wb", *, fsync: bool = True
) -> AbstractContextManager[BinaryIO]: ...
@overload
def atomic_write(
    path: StrPath,
    mode: Literal["w", "w+"],
    *,
    encoding: str = "utf-8",
    newline: str | None = None,
    fsync: bool = True,
) -> AbstractContextManager[TextIO]: ...
@contextmanager
def atomic_write(
    path: StrPath,
    mode: str = "wb",
    *,
    encoding: str = "utf-8",
    newline: str | None = None,
    fsync: bool = True,
) -> Iterator[Any]:
    """A file to write into, which takes the place of ``path`` when the block ends.

    If the block raises, or the process dies, ``path`` is what it was before.
    Missing parent folders are made. The mode of the file is what a plain
    ``open`` would have left: that of the file it replaces, or the default less
    the umask. A symbolic link is replaced, not followed; another hard link keeps
    the old content.

    Args:
        path: a local path. It is fixed at the start: a change of folder inside
            the block does not move it.
        mode: ``"wb"``, ``"w"``, or one of them with ``+``.
        encoding: of text modes.
        newline: as for ``open``, in text modes.
        fsync: ``False`` skips forcing the bytes to disk. A killed process still
            leaves the old file or the new one; a power cut may leave neither.

    Raises:
        IsADirectoryError: ``path`` is a folder.
        PermissionError: the file there is write-protected.
        OSError: with the path in its text, also where the disk is full; a
            device or pipe cannot be replaced.
    """
    if mode not in _MODES:
        raise ValueError(
            f"mode {mode!r} cannot write a file as a whole; use one of {', '.join(_MODES)}"
        )
    target = local_path(path).absolute()
    old = _replaceable(target)
    _make_folder(target.parent, fsync=fsync)
    stage, descriptor = _open_stage(target)
    in_place = False
    try:
        if old is not None:
            _take_over_rights(old, descriptor)
        text = {} if "b" in mode else {"encoding": encoding, "newline": newline}
        # The descriptor stays ours: it carries the lock, and a block that closes
        # the file early does no harm.
        file = os.fdopen(descriptor, mode, closefd=False, **text)  # type: ignore[call-overload]  # kwargs by mode
        try:
            yield file
        except BaseException:
            with suppress(Exception):  # the buffer is given up with the file
                file.close()
            raise
        file.close()
        if fsync:
            os.fsync(descriptor)
        if sys.platform == "win32":
            os.close(descriptor)
            descriptor = -1
        stage.replace(target)
        in_place = True
    except BaseException as error:
        _name_the_file(error, target)
        raise
    finally:
        _in_flight.discard(_token(stage))
        if descriptor >= 0:
            os.close(descriptor)
        if not in_place:  # after closing: Windows deletes no open file
            with suppress(OSError):
                stage.unlink()
    if fsync:
        _fsync_folder(target.parent)


def remove_leftovers(folder: StrPath) -> list[Path]:
    """Delete what killed writers left in ``folder``, and say what it was.

    A stage that a live process on this machine still writes to is not touched, by
    whatever path the folder is given. Sub-folders are not searched.
    """
    removed = []
    for stage in sorted(local_path(folder).absolute().glob(f".*{_STAGE_SUFFIX}")):
        if _token(stage) not in _in_flight and _is_abandoned(stage):
            with suppress(FileNotFoundError):
                stage.unlink()
                removed.append(stage)
    return removed


def _replaceable(target: Path) -> os.stat_result | None:
    """What lies at ``target`` if its rights are to be kept; an error if it must stay."""
    try:
        found = target.lstat()
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, "a folder cannot be replaced by a file", str(target))
    is_link = stat.S_ISLNK(found.st_mode)
    kind = found.st_mode
    if is_link:
        with suppress(OSError):  # a dangling link, or a loop of them
            kind = target.stat().st_mode
    if not (stat.S_ISREG(kind) or stat.S_ISLNK(kind) or stat.S_ISDIR(kind)):
        raise OSError(
            errno.EINVAL,
            "a device, pipe or socket cannot be replaced as a whole; open it and pass the file",
            str(target),
        )
    if is_link:
        return None
    if not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, "the file is write-protected", str(target))
    return found


def _open_stage(target: Path) -> tuple[Path, int]:
    # The name is cut so that the whole fits into 255 bytes in any script.
    readable = target.name.encode()[:150].decode(errors="ignore")
    while True:
        token = os.urandom(8).hex()
        stage = target.with_name(f".{readable}.{token}{_STAGE_SUFFIX}")
        _in_flight.add(token)
        try:
            descriptor = os.open(stage, _STAGE_FLAGS, 0o666)
        except FileExistsError:
            _in_flight.discard(token)
            continue
        except OSError as error:
            _in_flight.discard(token)
            error.filename = str(target)
            raise
        if _claim(stage, descriptor):
            return stage, descriptor
        _in_flight.discard(token)
        os.close(descriptor)


def _token(stage: Path) -> str:
    return stage.name.removesuffix(_STAGE_SUFFIX).rpartition(".")[2]


def _claim(stage: Path, descriptor: int) -> bool:
    """Lock the stage for as long as this process lives; False if a cleaner was faster.

    ``lockf`` and not ``flock``: the latter is inherited by data-loading
    processes, which outlive a killed run for seconds.
    """
    if sys.platform == "win32":
        return True
    try:
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno not in (errno.EACCES, errno.EAGAIN)  # else: no locks here
    try:
        return stage.stat().st_ino == os.fstat(descriptor).st_ino
    except FileNotFoundError:
        return False


def _is_abandoned(stage: Path) -> bool:
    try:
        if not stat.S_ISREG(stage.lstat().st_mode):
            return False  # not one of ours; opening a pipe could wait for ever
        descriptor = os.open(stage, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
    except OSError:
        return False
    try:
        if sys.platform != "win32":
            try:
                fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                if error.errno in (errno.EACCES, errno.EAGAIN):
                    return False
            else:
                return True
        return time.time() - os.fstat(descriptor).st_mtime > _FORGOTTEN_AFTER_S
    finally:
        os.close(descriptor)


def _take_over_rights(old: os.stat_result, descriptor: int) -> None:
    if not hasattr(os, "fchmod"):  # Windows before Python 3.13
        return
    new = os.fstat(descriptor)
    if (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid):
        with suppress(OSError):  # only the superuser may give files away
            os.fchown(descriptor, old.st_uid, old.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(old.st_mode))


def _make_folder(folder: Path, *, fsync: bool) -> None:
    missing = [part for part in (folder, *folder.parents) if not part.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    for part in missing if fsync else []:
        _fsync_folder(part.parent)


def _fsync_folder(folder: Path) -> None:
    if sys.platform == "win32":
        return
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except PermissionError:  # one may be allowed to write into a folder and not to read it
        return
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # some network file systems
            error.filename = str(folder)
            raise
    finally:
        os.close(descriptor)


def _name_the_file(error: BaseException, target: Path) -> None:
    if isinstance(error, OSError) and error.filename is None and error.errno in _DISK_ERRORS:
        error.filename = str(target)
