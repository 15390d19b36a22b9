"""What listing and copying need of a store, whatever kind it is."""
# ruff: noqa: D102  # the contract is written once, at BaseStorageBackend

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import BinaryIO, NamedTuple, Protocol

from ..uri import StrPath


class Entry(NamedTuple):
    """One thing in a folder, by its bare name."""

    name: str
    is_folder: bool
    key: object = None  # equal for a folder reached twice, through symbolic links


class Store(Protocol):
    """The primitives; their contract is written at ``BaseStorageBackend``."""

    def open_read(self, filepath: StrPath) -> AbstractContextManager[BinaryIO]: ...

    def open_write(self, filepath: StrPath) -> AbstractContextManager[BinaryIO]: ...

    def isfile(self, filepath: StrPath) -> bool: ...

    def isdir(self, filepath: StrPath) -> bool: ...

    def entries(self, dir_path: StrPath) -> Iterator[Entry]: ...

    def make_folder(self, dir_path: StrPath) -> None: ...

    def join_path(self, filepath: StrPath, *filepaths: StrPath) -> str: ...

    def rmtree(self, dir_path: StrPath) -> None: ...
