"""The contract of a storage backend.

A store that can only ``get`` is a backend. What else it can do it says by
overriding; everything that can be built from the eight primitives is built
here once, and the rest says plainly that it is not there.
"""

from __future__ import annotations

import io
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import BinaryIO, ClassVar, NoReturn

from ..errors import UnsupportedOperationError, not_text
from ..uri import StrPath, join_uri, path_text, shown
from .listing import Entry, list_entries
from .local_files import LocalFiles
from .transfer import copy_file, copy_tree, temporary_copy

_DISK = LocalFiles()


class BaseStorageBackend(ABC):
    """Reads and perhaps writes bytes by name.

    Primitives: :meth:`get` (the only one that must be there), :meth:`open_read`,
    :meth:`open_write`, :meth:`isfile`, :meth:`isdir`, :meth:`entries`,
    :meth:`remove`, :meth:`rmtree`. A missing file is a ``FileNotFoundError`` that
    names it.
    """

    is_local: ClassVar[bool] = False
    """Whether the files lie on this machine's own disks, so that their owner is trusted."""

    @property
    def name(self) -> str:
        """The name of the class."""
        return type(self).__name__

    # primitives

    @abstractmethod
    def get(self, filepath: StrPath) -> bytes:
        """The whole content of a file."""

    def open_read(self, filepath: StrPath) -> AbstractContextManager[BinaryIO]:
        """A stream over a file; one that cannot stream reads the whole at once."""
        return io.BytesIO(self.get(filepath))

    def open_write(self, filepath: StrPath) -> AbstractContextManager[BinaryIO]:
        """A stream whose content becomes the file when the block ends without an error.

        Missing parent folders are made.
        """
        if type(self).put is BaseStorageBackend.put:
            self._cannot("write", filepath)
        return _collected(self, filepath)

    def isfile(self, filepath: StrPath) -> bool:
        """Whether a file is there."""
        self._cannot("look for", filepath)

    def isdir(self, filepath: StrPath) -> bool:
        """Whether a folder is there."""
        self._cannot("look for", filepath)

    def entries(self, dir_path: StrPath) -> Iterator[Entry]:
        """What lies directly in a folder, in any order."""
        self._cannot("list", dir_path)

    def remove(self, filepath: StrPath) -> None:
        """Delete one file; a folder is an ``IsADirectoryError``."""
        self._cannot("remove", filepath)

    def rmtree(self, dir_path: StrPath) -> None:
        """Delete a folder with all that is in it."""
        self._cannot("remove", dir_path)

    def make_folder(self, dir_path: StrPath) -> None:  # noqa: B027  # most stores know none
        """Make an empty folder and its parents, where the store knows folders."""

    # built from the primitives

    def get_text(self, filepath: StrPath, encoding: str = "utf-8") -> str:
        """The content of a text file, with its line ends as they are.

        Raises:
            ParseError: it is not text in that encoding.
        """
        try:
            return self.get(filepath).decode(encoding)
        except UnicodeDecodeError as error:
            raise not_text(error, filepath) from error

    def put(self, obj: bytes, filepath: StrPath) -> None:
        """Write bytes to a file, making missing parent folders."""
        with self.open_write(filepath) as file:
            file.write(obj)

    def put_text(self, obj: str, filepath: StrPath, encoding: str = "utf-8") -> None:
        """Write text to a file, with its line ends as they are."""
        self.put(obj.encode(encoding), filepath)

    def exists(self, filepath: StrPath) -> bool:
        """Whether a file or folder is there."""
        return self.isfile(filepath) or self.isdir(filepath)

    def join_path(self, filepath: StrPath, *filepaths: StrPath) -> str:
        """Parts joined with a slash."""
        return join_uri(path_text(filepath), *map(path_text, filepaths))

    def get_local_path(self, filepath: StrPath) -> AbstractContextManager[str]:
        """A local file with this content, for code that takes only file names.

        It is a private copy, deleted when the block ends.
        """
        return temporary_copy(self, filepath)

    def list_dir_or_file(
        self,
        dir_path: StrPath,
        list_dir: bool = True,
        list_file: bool = True,
        suffix: str | tuple[str, ...] | None = None,
        recursive: bool = False,
    ) -> Iterator[str]:
        """Paths below a folder, relative to it, in sorted order; see ``listing.py``.

        Args:
            dir_path: the folder.
            list_dir: whether folders are among the results.
            list_file: whether files are.
            suffix: ending, or endings, of the files to list; needs ``list_dir=False``.
            recursive: whether to go into folders.
        """
        return list_entries(
            self,
            dir_path,
            list_dir=list_dir,
            list_file=list_file,
            suffix=suffix,
            recursive=recursive,
        )

    def copyfile(self, src: StrPath, dst: StrPath) -> str:
        """Copy a file within this store; into ``dst`` if that is a folder."""
        return copy_file(self, src, self, dst)

    def copytree(self, src: StrPath, dst: StrPath) -> str:
        """Copy a folder within this store; ``dst`` must not exist."""
        return copy_tree(self, src, self, dst)

    def copyfile_from_local(self, src: StrPath, dst: StrPath) -> str:
        """Copy a local file into this store."""
        return copy_file(_DISK, src, self, dst)

    def copytree_from_local(self, src: StrPath, dst: StrPath) -> str:
        """Copy a local folder into this store."""
        return copy_tree(_DISK, src, self, dst)

    def copyfile_to_local(self, src: StrPath, dst: StrPath) -> str:
        """Copy a file of this store to the local disk."""
        return copy_file(self, src, _DISK, dst)

    def copytree_to_local(self, src: StrPath, dst: StrPath) -> str:
        """Copy a folder of this store to the local disk."""
        return copy_tree(self, src, _DISK, dst)

    def copy_if_symlink_fails(self, src: StrPath, dst: StrPath) -> bool:
        """Make ``dst`` a symbolic link, or a copy where links do not exist; True for a link."""
        if self.isdir(src):
            self.copytree(src, dst)
        else:
            self.copyfile(src, dst)
        return False

    def generate_presigned_url(
        self, url: str, client_method: str = "get_object", expires_in: int = 3600
    ) -> str:
        """A link to a file that needs no credentials for ``expires_in`` seconds."""
        self._cannot("sign", url)

    def _cannot(self, verb: str, filepath: StrPath) -> NoReturn:
        raise UnsupportedOperationError(
            f"{self.name} cannot {verb} {shown(filepath)!r}: this kind of store does not offer it; "
            "copy the file to a local folder first, or override the method in a subclass"
        )


@contextmanager
def _collected(backend: BaseStorageBackend, filepath: StrPath) -> Iterator[BinaryIO]:
    buffer = io.BytesIO()
    yield buffer
    backend.put(buffer.getvalue(), filepath)
