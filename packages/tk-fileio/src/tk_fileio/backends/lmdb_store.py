"""Values by key in an LMDB database: many small files as one."""

from __future__ import annotations

import os
from pathlib import Path
from threading import Lock
from typing import Any
from weakref import WeakValueDictionary

from ..optional import require
from ..uri import StrPath, path_text
from .backend import BaseStorageBackend


class LmdbBackend(BaseStorageBackend):
    """The values of one database; a key is what other backends call a file path.

    The database is opened on first use, once for each process, also in forked
    workers.

    Args:
        db_path: the database.
        readonly: ``False`` allows :meth:`put` and :meth:`remove`; each is one transaction.
        lock: whether readers and writers lock the database; needed if it is
            written while others read.
        readahead: whether the system reads ahead, which harms random access.
        kwargs: for ``lmdb.open``, such as ``map_size``.
    """

    def __init__(
        self,
        db_path: StrPath,
        readonly: bool = True,
        lock: bool = False,
        readahead: bool = False,
        **kwargs: Any,
    ) -> None:
        self.db_path = path_text(db_path)
        self._readonly = readonly
        self._arguments = {"readonly": readonly, "lock": lock, "readahead": readahead, **kwargs}
        self._database: _Database | None = None

    def get(self, filepath: StrPath) -> bytes:
        """The value of a key."""
        with self._opened().begin() as transaction:
            value: bytes | None = transaction.get(_key(filepath))
        if value is None:
            raise self._missing(filepath)
        return value

    def isfile(self, filepath: StrPath) -> bool:
        """Whether a key is there."""
        with self._opened().begin(buffers=True) as transaction:
            return transaction.get(_key(filepath)) is not None

    def isdir(self, filepath: StrPath) -> bool:
        """False: keys have no folders."""
        return False

    def put(self, obj: bytes, filepath: StrPath) -> None:
        """Set the value of a key."""
        self._refuse_if_readonly("write", filepath)
        with self._opened().begin(write=True) as transaction:
            transaction.put(_key(filepath), obj)

    def remove(self, filepath: StrPath) -> None:
        """Delete a key."""
        self._refuse_if_readonly("remove", filepath)
        with self._opened().begin(write=True) as transaction:
            if not transaction.delete(_key(filepath)):
                raise self._missing(filepath)

    def _opened(self) -> Any:
        if self._database is None:
            if self._readonly and not Path(self.db_path).exists():
                raise FileNotFoundError(
                    f"there is no LMDB database at {self.db_path!r}; correct db_path, or pass "
                    "readonly=False to make one"
                )
            lmdb = require("lmdb", install="tk-fileio[lmdb]", purpose="reading an LMDB database")
            try:
                self._database = _shared(lmdb, self.db_path, self._arguments)
            except lmdb.Error as error:  # its text begins with the path
                raise OSError(
                    f"this is not an LMDB database that can be opened: {error}; correct db_path"
                ) from error
        return self._database.environment()

    def _refuse_if_readonly(self, verb: str, key: StrPath) -> None:
        if self._readonly:
            raise PermissionError(
                f"cannot {verb} the key {path_text(key)!r}: {self.db_path!r} is opened for "
                "reading; pass readonly=False to LmdbBackend"
            )

    def _missing(self, key: StrPath) -> FileNotFoundError:
        return FileNotFoundError(f"there is no key {path_text(key)!r} in {self.db_path!r}")


class _Database:
    """One environment of lmdb, opened anew in a process that inherited it by fork."""

    def __init__(self, lmdb: Any, path: str, arguments: dict[str, Any]) -> None:
        self._lmdb = lmdb
        self._path = path
        self._arguments = arguments
        self._open()

    def environment(self) -> Any:
        if self._process_id != os.getpid():
            self._environment.close()
            self._open()
        return self._environment

    def _open(self) -> None:
        self._process_id = os.getpid()
        self._environment = self._lmdb.open(self._path, **self._arguments)


# lmdb forbids to open a database twice in one process.
_open_databases: WeakValueDictionary[tuple[str, str], _Database] = WeakValueDictionary()
_lock = Lock()


def _shared(lmdb: Any, path: str, arguments: dict[str, Any]) -> _Database:
    key = (os.path.realpath(path), repr(sorted(arguments.items())))
    with _lock:
        database = _open_databases.get(key)
        if database is None:
            database = _open_databases[key] = _Database(lmdb, path, arguments)
        return database


def _key(filepath: StrPath) -> bytes:
    return path_text(filepath).encode("utf-8")
