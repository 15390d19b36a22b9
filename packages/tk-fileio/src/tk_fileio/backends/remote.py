"""Everything that fsspec knows, such as ``s3``, ``gs``, ``memory``, ``zip``, ``sftp``.

fsspec does the work; this adds streams that are written whole or not at all,
errors that name the address, and listings that outside changes show in.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, Literal

from ..errors import (
    FileIOError,
    MissingExtraError,
    RemoteError,
    UnknownBackendError,
    UnsupportedOperationError,
)
from ..near_names import did_you_mean
from ..optional import require
from ..uri import StrPath, parse_uri, shown
from .backend import BaseStorageBackend
from .listing import Entry

# What callers catch by its builtin type passes; only the name of the file is added.
_FILE_ERRORS = (
    FileExistsError,
    IsADirectoryError,
    NotADirectoryError,
    PermissionError,
)


class RemoteBackend(BaseStorageBackend):
    """A store behind any URI that fsspec can open.

    Args:
        storage_options: for the file system of fsspec, such as ``anon=True``.
    """

    def __init__(self, **storage_options: Any) -> None:
        self._options = storage_options

    def get(self, filepath: StrPath) -> bytes:
        """The whole content of a file."""
        with told("read", filepath):
            fs, path = self._locate(filepath)
            return bytes(fs.cat_file(path))

    @contextmanager
    def open_read(self, filepath: StrPath) -> Iterator[BinaryIO]:
        """A stream over a file, fetched in blocks."""
        with told("read", filepath):
            fs, path = self._locate(filepath)
            file = fs.open(path, "rb")
        with file:
            yield file

    def put(self, obj: bytes, filepath: StrPath) -> None:
        """Write bytes to a file."""
        with told("write", filepath):
            fs, path = self._locate(filepath)
            try:
                fs.pipe_file(path, obj)
            except FileNotFoundError:  # a store with real folders, and one is missing
                fs.makedirs(path.rpartition("/")[0], exist_ok=True)
                fs.pipe_file(path, obj)

    def open_write(self, filepath: StrPath) -> AbstractContextManager[BinaryIO]:
        """A stream that is uploaded when the block ends without an error.

        Until then it lies in a temporary local file: many stores publish what
        they have when a stream is closed, complete or not.
        """
        self._locate(filepath)  # a missing package is told before the work, not after it
        return self._uploaded(filepath)

    @contextmanager
    def _uploaded(self, filepath: StrPath) -> Iterator[BinaryIO]:
        with tempfile.TemporaryDirectory(prefix="tk-fileio-") as folder:
            stage = Path(folder, "upload")
            with stage.open("w+b") as file:
                yield file
            with told("write", filepath):
                fs, path = self._locate(filepath)
                fs.put_file(str(stage), path)

    def isfile(self, filepath: StrPath) -> bool:
        """Whether a file is there; an unreachable store is an error, not a no."""
        return self._kind(filepath) == "file"

    def isdir(self, filepath: StrPath) -> bool:
        """Whether a folder is there."""
        return self._kind(filepath) == "directory"

    def exists(self, filepath: StrPath) -> bool:
        """Whether a file or folder is there."""
        return self._kind(filepath) is not None

    def entries(self, dir_path: StrPath) -> Iterator[Entry]:
        """What lies directly in a folder."""
        with told("list", dir_path):
            fs, path = self._locate(dir_path)
            fs.invalidate_cache()
            found = fs.ls(path, detail=True)
        here = path.strip("/")
        for info in found:
            full = info["name"].strip("/")
            if full != here:  # object stores may list the folder's own marker
                yield Entry(full.rpartition("/")[2], is_folder=info["type"] == "directory")

    def remove(self, filepath: StrPath) -> None:
        """Delete one file."""
        kind = self._kind(filepath)
        if kind is None:
            raise FileNotFoundError(f"there is no file {shown(filepath)!r} to delete")
        if kind == "directory":
            raise IsADirectoryError(f"{shown(filepath)!r} is a folder; delete it with rmtree")
        with told("remove", filepath):
            fs, path = self._locate(filepath)
            fs.rm_file(path)

    def rmtree(self, dir_path: StrPath) -> None:
        """Delete a folder with all that is in it."""
        if not self.isdir(dir_path):
            raise FileNotFoundError(f"there is no folder {shown(dir_path)!r} to delete")
        with told("remove", dir_path):
            fs, path = self._locate(dir_path)
            if not set(path) & set("*?["):
                fs.rm(path, recursive=True)
                return
            # rm takes such names for patterns, and would delete the wrong files
            for name, info in sorted(fs.find(path, withdirs=True, detail=True).items())[::-1]:
                if info["type"] != "directory":
                    fs.rm_file(name)
                    continue
                with suppress(FileNotFoundError):  # gone with its last file
                    fs.rmdir(name)

    def make_folder(self, dir_path: StrPath) -> None:
        """Make a folder, where the store knows folders."""
        with told("make", dir_path):
            fs, path = self._locate(dir_path)
            fs.makedirs(path, exist_ok=True)

    def generate_presigned_url(
        self, url: str, client_method: str = "get_object", expires_in: int = 3600
    ) -> str:
        """A link to a file that needs no credentials for ``expires_in`` seconds."""
        # Stores other than S3 know no client_method.
        chosen = {} if client_method == "get_object" else {"client_method": client_method}
        with told("sign", url):
            fs, path = self._locate(url)
            return str(fs.sign(path, expiration=expires_in, **chosen))

    def _kind(self, filepath: StrPath) -> Literal["file", "directory"] | None:
        with told("look for", filepath):
            fs, path = self._locate(filepath)
            fs.invalidate_cache()
            try:
                kind: Literal["file", "directory"] = fs.info(path)["type"]
            except (FileNotFoundError, NotADirectoryError):
                return None
            return kind

    def _locate(self, filepath: StrPath) -> tuple[Any, str]:
        """The file system of fsspec and the path in it.

        Asked for at each call: fsspec keeps file systems, one set for each
        process, so that a forked worker gets a connection of its own.
        """
        uri = parse_uri(filepath)
        if not uri.scheme:
            raise ValueError(f"{uri.text!r} is a local path, and {self.name} is for URIs")
        purpose = f"opening {uri.scheme}:// addresses"
        fsspec = require("fsspec", install="tk-fileio[remote]", purpose=purpose)
        try:
            fs, path = fsspec.core.url_to_fs(uri.text, **self._options)
        except ImportError as error:
            raise _missing_package(uri.scheme, error) from error
        except ValueError as error:
            if "Protocol not known" not in str(error):
                raise
            mend = did_you_mean(
                uri.scheme, fsspec.available_protocols(), "register a backend for it"
            )
            raise UnknownBackendError(
                f"nothing is known that opens {uri.scheme}:// ({shown(filepath)!r}); {mend}"
            ) from error
        return fs, path


@contextmanager
def told(verb: str, filepath: StrPath) -> Iterator[None]:
    """Let errors of a store leave with the address in their text, and as our types."""
    try:
        yield
    except (FileIOError, TypeError, ValueError):
        raise
    except (FileNotFoundError, KeyError) as error:  # KeyError: archives in older fsspec
        raise FileNotFoundError(f"cannot {verb} {shown(filepath)!r}: it is not there") from error
    except _FILE_ERRORS as error:
        raise type(error)(f"cannot {verb} {shown(filepath)!r}: {shown(str(error))}") from error
    except NotImplementedError as error:
        raise UnsupportedOperationError(
            f"cannot {verb} {shown(filepath)!r}: this kind of store does not offer it"
        ) from error
    except Exception as error:  # each store brings exceptions of its own
        reason = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        raise RemoteError(
            f"cannot {verb} {shown(filepath)!r}: {shown(reason)}; "
            "check the address, the credentials and the connection"
        ) from error


def _missing_package(scheme: str, error: ImportError) -> MissingExtraError:
    cause = error.__cause__
    package = cause.name if isinstance(cause, ModuleNotFoundError) else None
    mend = f"run: pip install {package}" if package else str(error)
    return MissingExtraError(
        f"opening {scheme}:// addresses needs one more package besides fsspec; {mend}"
    )
