from __future__ import annotations

from types import ModuleType

import pytest

import tk_fileio

NAMES = [
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
NOT_OURS = {"TYPE_CHECKING", "import_module"}


def test_the_public_names_are_exactly_these() -> None:
    for name in NAMES:
        assert getattr(tk_fileio, name)
    shown = {
        name
        for name, value in vars(tk_fileio).items()
        if not name.startswith("_") and not isinstance(value, ModuleType)
    }

    assert shown - NOT_OURS == set(NAMES)
    assert tk_fileio.__all__ == sorted(NAMES)
    assert set(NAMES) <= set(dir(tk_fileio))


def test_the_version_is_that_of_the_distribution() -> None:
    assert tk_fileio.__version__


def test_a_name_of_mmengine_that_is_not_built_says_what_to_use() -> None:
    with pytest.raises(AttributeError, match="'FileClient'; it is not built: use the functions"):
        tk_fileio.FileClient
