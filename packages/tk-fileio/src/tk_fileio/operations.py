"""The functions that most users call: find the backend for the address, call it.

What each does is written at :class:`BaseStorageBackend`; ``backend_args`` are for
:func:`get_file_backend`. Backends are made once per set of arguments.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from typing import Any, BinaryIO

from .backends.backend import BaseStorageBackend
from .backends.table import get_file_backend
from .backends.transfer import copy_file, copy_tree
from .uri import StrPath, parse_uri

BackendArgs = Mapping[str, Any] | None


def get(filepath: StrPath, backend_args: BackendArgs = None) -> bytes:
    """The whole content of a file."""
    return _backend(filepath, backend_args).get(filepath)


def get_text(filepath: StrPath, encoding: str = "utf-8", backend_args: BackendArgs = None) -> str:
    """The content of a text file, with its line ends as they are."""
    return _backend(filepath, backend_args).get_text(filepath, encoding)


def put(obj: bytes, filepath: StrPath, backend_args: BackendArgs = None) -> None:
    """Write bytes to a file, making missing parent folders."""
    _backend(filepath, backend_args).put(obj, filepath)


def put_text(
    obj: str, filepath: StrPath, backend_args: BackendArgs = None, *, encoding: str = "utf-8"
) -> None:
    """Write text to a file, making missing parent folders."""
    _backend(filepath, backend_args).put_text(obj, filepath, encoding)


def open_read(
    filepath: StrPath, backend_args: BackendArgs = None
) -> AbstractContextManager[BinaryIO]:
    """A binary stream over a file, for ``with``; nothing is held whole."""
    return _backend(filepath, backend_args).open_read(filepath)


def open_write(
    filepath: StrPath, backend_args: BackendArgs = None
) -> AbstractContextManager[BinaryIO]:
    """A binary stream, for ``with``, that becomes the file if the block ends without an error."""
    return _backend(filepath, backend_args).open_write(filepath)


def exists(filepath: StrPath, backend_args: BackendArgs = None) -> bool:
    """Whether a file or folder is there."""
    return _backend(filepath, backend_args).exists(filepath)


def isdir(filepath: StrPath, backend_args: BackendArgs = None) -> bool:
    """Whether a folder is there."""
    return _backend(filepath, backend_args).isdir(filepath)


def isfile(filepath: StrPath, backend_args: BackendArgs = None) -> bool:
    """Whether a file is there."""
    return _backend(filepath, backend_args).isfile(filepath)


def join_path(filepath: StrPath, *filepaths: StrPath, backend_args: BackendArgs = None) -> str:
    """Parts joined as the store of the first one does; see ``join_below`` for foreign names."""
    return _backend(filepath, backend_args).join_path(filepath, *filepaths)


def get_local_path(
    filepath: StrPath, backend_args: BackendArgs = None
) -> AbstractContextManager[str]:
    """A local file with this content, for ``with``: the file itself, or a temporary copy."""
    return _backend(filepath, backend_args).get_local_path(filepath)


def copyfile(src: StrPath, dst: StrPath, backend_args: BackendArgs = None) -> str:
    """Copy a file, also from one kind of store to another; returns where the copy lies.

    If ``dst`` is a folder, the copy keeps its name. Where one side is local and
    ``backend_args`` name no backend, they are for the other side.
    """
    source, target = _both(src, dst, backend_args)
    if source is target:
        return source.copyfile(src, dst)
    return copy_file(source, src, target, dst)


def copytree(src: StrPath, dst: StrPath, backend_args: BackendArgs = None) -> str:
    """Copy a folder to a ``dst`` that does not exist, also between kinds of stores."""
    source, target = _both(src, dst, backend_args)
    if source is target:
        return source.copytree(src, dst)
    return copy_tree(source, src, target, dst)


def copyfile_from_local(src: StrPath, dst: StrPath, backend_args: BackendArgs = None) -> str:
    """Copy a local file to ``dst``."""
    return _backend(dst, backend_args).copyfile_from_local(src, dst)


def copytree_from_local(src: StrPath, dst: StrPath, backend_args: BackendArgs = None) -> str:
    """Copy a local folder to ``dst``, which must not exist."""
    return _backend(dst, backend_args).copytree_from_local(src, dst)


def copyfile_to_local(src: StrPath, dst: StrPath, backend_args: BackendArgs = None) -> str:
    """Copy a file to the local path ``dst``."""
    return _backend(src, backend_args).copyfile_to_local(src, dst)


def copytree_to_local(src: StrPath, dst: StrPath, backend_args: BackendArgs = None) -> str:
    """Copy a folder to the local path ``dst``, which must not exist."""
    return _backend(src, backend_args).copytree_to_local(src, dst)


def copy_if_symlink_fails(src: StrPath, dst: StrPath, backend_args: BackendArgs = None) -> bool:
    """Link ``dst`` to ``src``, or copy where that is impossible; True for a link."""
    return _backend(src, backend_args).copy_if_symlink_fails(src, dst)


def remove(filepath: StrPath, backend_args: BackendArgs = None) -> None:
    """Delete one file."""
    _backend(filepath, backend_args).remove(filepath)


def rmtree(dir_path: StrPath, backend_args: BackendArgs = None) -> None:
    """Delete a folder with all that is in it."""
    _backend(dir_path, backend_args).rmtree(dir_path)


def list_dir_or_file(
    dir_path: StrPath,
    list_dir: bool = True,
    list_file: bool = True,
    suffix: str | tuple[str, ...] | None = None,
    recursive: bool = False,
    backend_args: BackendArgs = None,
) -> Iterator[str]:
    """Paths below a folder, relative to it, sorted, without hidden ones."""
    return _backend(dir_path, backend_args).list_dir_or_file(
        dir_path, list_dir, list_file, suffix, recursive
    )


def generate_presigned_url(
    url: str,
    client_method: str = "get_object",
    expires_in: int = 3600,
    backend_args: BackendArgs = None,
) -> str:
    """A link to a remote file that needs no credentials for ``expires_in`` seconds."""
    return _backend(url, backend_args).generate_presigned_url(url, client_method, expires_in)


def _backend(filepath: StrPath, backend_args: BackendArgs) -> BaseStorageBackend:
    return get_file_backend(filepath, backend_args=backend_args, enable_singleton=True)


def _both(
    src: StrPath, dst: StrPath, backend_args: BackendArgs
) -> tuple[BaseStorageBackend, BaseStorageBackend]:
    if backend_args is None or "backend" in backend_args:
        return _backend(src, backend_args), _backend(dst, backend_args)
    is_local = [not parse_uri(address).scheme for address in (src, dst)]
    one_side = is_local[0] != is_local[1]
    return (
        _backend(src, None if one_side and is_local[0] else backend_args),
        _backend(dst, None if one_side and is_local[1] else backend_args),
    )
