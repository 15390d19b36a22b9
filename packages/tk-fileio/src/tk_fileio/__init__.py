"""One interface over storage backends and file formats.

What is used by few and costs an import of its own comes when it is asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from .atomic import atomic_write, remove_leftovers
from .backends.backend import BaseStorageBackend
from .backends.listing import Entry
from .backends.local import LocalBackend
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
from .near_names import did_you_mean
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
from .optional import require
from .serialize import dump, load, trust_pickles

if TYPE_CHECKING:
    from .backends.lmdb_store import LmdbBackend
    from .backends.remote import RemoteBackend
    from .backends.remote_http import HTTPBackend
    from .formats.json_format import JsonHandler
    from .formats.pickle_format import PickleHandler
    from .formats.toml_format import TomlHandler
    from .formats.yaml_format import YamlHandler

    __version__: str

__all__ = [
    "BaseFileHandler",
    "BaseStorageBackend",
    "Entry",
    "FileIOError",
    "HTTPBackend",
    "JsonHandler",
    "LmdbBackend",
    "LocalBackend",
    "MissingExtraError",
    "ParseError",
    "PickleHandler",
    "RemoteBackend",
    "RemoteError",
    "SerializeError",
    "TomlHandler",
    "UnknownBackendError",
    "UnknownFormatError",
    "UnsafePathError",
    "UnsupportedOperationError",
    "UntrustedSourceError",
    "YamlHandler",
    "atomic_write",
    "copy_if_symlink_fails",
    "copyfile",
    "copyfile_from_local",
    "copyfile_to_local",
    "copytree",
    "copytree_from_local",
    "copytree_to_local",
    "dict_from_file",
    "did_you_mean",
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
    "require",
    "rmtree",
    "trust_pickles",
]

_MODULE_OF = {
    "HTTPBackend": "backends.remote_http",
    "JsonHandler": "formats.json_format",
    "LmdbBackend": "backends.lmdb_store",
    "PickleHandler": "formats.pickle_format",
    "RemoteBackend": "backends.remote",
    "TomlHandler": "formats.toml_format",
    "YamlHandler": "formats.yaml_format",
}
_DROPPED = {
    "FileClient": "use the functions, or get_file_backend",
    "HardDiskBackend": "use LocalBackend",
    "MemcachedBackend": "use LocalBackend or LmdbBackend",
    "PetrelBackend": "use s3:// addresses: pip install 'tk-fileio[remote]' s3fs",
}

if not TYPE_CHECKING:  # a type checker that saw it would take any name for public

    def __getattr__(name: str) -> object:
        if name in _MODULE_OF:
            value = getattr(import_module(f".{_MODULE_OF[name]}", __name__), name)
            globals()[name] = value  # the next look-up does not come here
            return value
        if name == "__version__":
            from importlib.metadata import version  # slow, and seldom asked

            return version("tk-fileio")
        mend = f"; it is not built: {_DROPPED[name]}" if name in _DROPPED else ""
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{mend}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULE_OF})
