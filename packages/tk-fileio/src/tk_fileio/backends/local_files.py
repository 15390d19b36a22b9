"""Files on this machine's disks, by the standard library alone.

Paths may be ``file://`` addresses. Every write goes through ``atomic_write``.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import BinaryIO

from ..atomic import atomic_write
from ..uri import StrPath, local_path, local_text
from .listing import Entry
from .regular_file import open_regular, read_regular
from .transfer import copy_stream, copy_tree, destination


class LocalFiles:
    """The primitives of a store, for the local file system."""

    def get(self, filepath: StrPath) -> bytes:
        """The whole content of a file."""
        return read_regular(local_text(filepath))

    def open_read(self, filepath: StrPath) -> AbstractContextManager[BinaryIO]:
        """A stream over a file."""
        return open_regular(local_text(filepath))

    def open_write(self, filepath: StrPath) -> AbstractContextManager[BinaryIO]:
        """A stream whose content becomes the file when the block ends without an error."""
        return atomic_write(local_path(filepath), "wb")

    def isfile(self, filepath: StrPath) -> bool:
        """Whether a file is there."""
        return local_path(filepath).is_file()

    def isdir(self, filepath: StrPath) -> bool:
        """Whether a folder is there."""
        return local_path(filepath).is_dir()

    def entries(self, dir_path: StrPath) -> Iterator[Entry]:
        """What lies directly in a folder; links that lead nowhere are left out."""
        with os.scandir(local_path(dir_path)) as found:
            for item in found:
                try:
                    status = item.stat()
                except OSError:
                    continue
                if item.is_dir():
                    yield Entry(item.name, is_folder=True, key=(status.st_dev, status.st_ino))
                elif item.is_file():
                    yield Entry(item.name, is_folder=False)

    def remove(self, filepath: StrPath) -> None:
        """Delete one file or link."""
        path = local_path(filepath)
        if path.is_dir() and not path.is_symlink():
            raise IsADirectoryError(f"{str(path)!r} is a folder; delete it with rmtree")
        path.unlink()

    def rmtree(self, dir_path: StrPath) -> None:
        """Delete a folder with all that is in it."""
        shutil.rmtree(local_path(dir_path))

    def make_folder(self, dir_path: StrPath) -> None:
        """Make a folder and its parents; one that is there is left alone."""
        local_path(dir_path).mkdir(parents=True, exist_ok=True)

    def join_path(self, filepath: StrPath, *filepaths: StrPath) -> str:
        """Parts joined with the separator of this system; an absolute part starts anew."""
        return str(local_path(filepath).joinpath(*filepaths)) if filepaths else str(filepath)

    def copyfile(self, src: StrPath, dst: StrPath) -> str:
        """Copy a file with its mode; into ``dst`` if that is a folder."""
        source, place = local_path(src), destination(self, src, local_path(dst))
        target = Path(place)
        # A link at the destination is replaced, even one to the source.
        if not target.is_symlink() and target.exists() and target.samefile(source):
            raise shutil.SameFileError(f"{str(source)!r} cannot be copied onto itself")
        with open_regular(source) as reader, atomic_write(target) as writer:
            if hasattr(os, "fchmod"):  # before the content: it may be secret
                os.fchmod(writer.fileno(), stat.S_IMODE(os.fstat(reader.fileno()).st_mode))
            copy_stream(reader, writer)
        return place

    def copytree(self, src: StrPath, dst: StrPath) -> str:
        """Copy a folder; ``dst`` must not exist."""
        return copy_tree(self, local_path(src), self, local_path(dst))
