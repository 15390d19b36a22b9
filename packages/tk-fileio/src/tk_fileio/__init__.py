"""One interface over storage backends and file formats."""

from .atomic import atomic_write, remove_leftovers
from .backends.backend import BaseStorageBackend
from .backends.local import LocalBackend
from .backends.store import Entry
from .backends.table import get_file_backend, register_backend
from .below import join_below
from .errors import (
    FileIOError,
    MissingExtraError,
    ParseError,
    RemoteError,
    SerializeError,
    UnknownBackendError,
    UnknownFormatError,
    UnsafePathError,
    UnsupportedOperationError,
    UntrustedSourceError,
)
from .formats.format import BaseFileHandler
from .formats.table import register_handler
from .lines import dict_from_file, list_from_file
from .operations import (
    copy_if_symlink_fails,
    copyfile,
    copyfile_from_local,
    copyfile_to_local,
    copytree,
    copytree_from_local,
    copytree_to_local,
    exists,
    generate_presigned_url,
    get,
    get_local_path,
    get_text,
    isdir,
    isfile,
    join_path,
    list_dir_or_file,
    open_read,
    open_write,
    put,
    put_text,
    remove,
    rmtree,
)
from .serialize import dump, load

__all__ = [
    "BaseFileHandler",
    "BaseStorageBackend",
    "Entry",
    "FileIOError",
    "LocalBackend",
    "MissingExtraError",
    "ParseError",
    "RemoteError",
    "SerializeError",
    "UnknownBackendError",
    "UnknownFormatError",
    "UnsafePathError",
    "UnsupportedOperationError",
    "UntrustedSourceError",
    "atomic_write",
    "copy_if_symlink_fails",
    "copyfile",
    "copyfile_from_local",
    "copyfile_to_local",
    "copytree",
    "copytree_from_local",
    "copytree_to_local",
    "dict_from_file",
    "dump",
    "exists",
    "generate_presigned_url",
    "get",
    "get_file_backend",
    "get_local_path",
    "get_text",
    "isdir",
    "isfile",
    "join_below",
    "join_path",
    "list_dir_or_file",
    "list_from_file",
    "load",
    "open_read",
    "open_write",
    "put",
    "put_text",
    "register_backend",
    "register_handler",
    "remove",
    "remove_leftovers",
    "rmtree",
]


def __getattr__(name: str) -> str:
    if name == "__version__":
        from importlib.metadata import version  # slow, and seldom asked

        return version("tk-fileio")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
