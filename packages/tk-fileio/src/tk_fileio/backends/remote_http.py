"""Reading over HTTP, through fsspec, with time limits and further attempts."""

from __future__ import annotations

import io
import logging
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, Literal, NoReturn, TypeVar

from ..errors import RemoteError
from ..optional import require
from ..uri import StrPath, path_text, shown
from .listing import Entry
from .remote import RemoteBackend, told

Result = TypeVar("Result")

_log = logging.getLogger("tk.fileio")


class _EnoughError(Exception):
    """The server began to send the file."""


class _FirstBytes(io.BytesIO):
    """Breaks off a download as soon as it has begun."""

    def write(self, data: object) -> NoReturn:
        raise _EnoughError


class HTTPBackend(RemoteBackend):
    """Files behind ``http`` and ``https``; read only.

    A folder is an address that ends in a slash. A download that breaks off is
    begun anew, never returned short.

    Args:
        timeout_s: how long to wait for a connection, and for the next bytes.
        attempts: how often to try in all when the server is overloaded or the
            connection fails; other answers are final.
        retry_wait_s: pause before the second attempt, doubled before each further one.
        storage_options: for ``fsspec.implementations.http.HTTPFileSystem``.
    """

    def __init__(
        self,
        timeout_s: float = 60.0,
        attempts: int = 3,
        retry_wait_s: float = 0.5,
        **storage_options: Any,
    ) -> None:
        if attempts < 1:
            raise ValueError(f"attempts={attempts} would never try; use 1 or more")
        super().__init__(**storage_options)
        self._timeout_s = timeout_s
        self._attempts = attempts
        self._retry_wait_s = retry_wait_s

    def get(self, filepath: StrPath) -> bytes:
        """The whole content of a file."""
        return self._persistently(filepath, lambda: super(HTTPBackend, self).get(filepath))

    @contextmanager
    def open_read(self, filepath: StrPath) -> Iterator[BinaryIO]:
        """A stream over a file, which is downloaded to disk first."""
        with tempfile.TemporaryFile() as file:

            def download() -> None:
                file.seek(0)
                file.truncate()
                with told("read", filepath):
                    fs, url = self._locate(filepath)
                    fs.get_file(url, file)

            self._persistently(filepath, download)
            file.seek(0)
            yield file

    def open_write(self, filepath: StrPath) -> NoReturn:
        """Refuse."""
        self._cannot("write", filepath)

    def put(self, obj: bytes, filepath: StrPath) -> NoReturn:
        """Refuse."""
        self._cannot("write", filepath)

    def remove(self, filepath: StrPath) -> NoReturn:
        """Refuse."""
        self._cannot("remove", filepath)

    def rmtree(self, dir_path: StrPath) -> NoReturn:
        """Refuse."""
        self._cannot("remove", dir_path)

    def entries(self, dir_path: StrPath) -> Iterator[Entry]:
        """What the page of a folder links to below itself."""
        folder = path_text(dir_path).rstrip("/") + "/"
        for entry in super().entries(folder):
            if entry.name not in ("", ".", "..") and "?" not in entry.name:
                yield entry

    def _kind(self, filepath: StrPath) -> Literal["file", "directory"] | None:
        def ask() -> bool:
            with told("look for", filepath):
                fs, url = self._locate(filepath)
                try:  # not fs.exists: it takes a server that is down for a no
                    fs.get_file(url, _FirstBytes())
                except _EnoughError:
                    return True
                except FileNotFoundError:
                    return False
            return True

        if not self._persistently(filepath, ask):
            return None
        return "directory" if path_text(filepath).endswith("/") else "file"

    def _persistently(self, filepath: StrPath, action: Callable[[], Result]) -> Result:
        for attempt in range(1, self._attempts + 1):
            try:
                return action()
            except RemoteError as error:
                # 408, 429 and 5xx may pass; any other status is an answer
                status = getattr(error.__cause__, "status", None)
                is_final = status is not None and status < 500 and status not in (408, 429)
                if is_final or attempt == self._attempts:
                    raise
                wait_s = self._retry_wait_s * 2 ** (attempt - 1)
                _log.warning(
                    "attempt %d of %d at %s failed (%s); next in %.1f s",
                    attempt, self._attempts, shown(filepath), shown(str(error.__cause__)), wait_s,
                )  # fmt: skip
                time.sleep(wait_s)
        raise AssertionError("the last attempt returns or raises")

    def _locate(self, filepath: StrPath) -> tuple[Any, str]:
        if "client_kwargs" not in self._options:
            purpose = "opening http:// addresses"
            aiohttp = require("aiohttp", install="tk-fileio[remote]", purpose=purpose)
            limit = aiohttp.ClientTimeout(
                total=None, sock_connect=self._timeout_s, sock_read=self._timeout_s
            )
            self._options = {**self._options, "client_kwargs": {"timeout": limit}}
        return super()._locate(filepath)
