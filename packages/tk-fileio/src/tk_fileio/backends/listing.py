"""Walking through folders of any store.

Sorted, so that every machine sees the same order. Names that start with a dot
are hidden, files and folders alike. Symbolic links to folders are followed, but
never into a folder that the walk is already inside of.
"""
# ruff: noqa: D102  # the contract of a store is written once, at BaseStorageBackend

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import BinaryIO, NamedTuple, Protocol

from ..uri import StrPath, shown

Suffix = str | tuple[str, ...] | None


class Entry(NamedTuple):
    """One thing in a folder, by its bare name."""

    name: str
    is_folder: bool
    key: object = None  # equal for a folder reached twice, through symbolic links


class Store(Protocol):
    """What listing and copying need of a store; the contract is at ``BaseStorageBackend``."""

    def open_read(self, filepath: StrPath) -> AbstractContextManager[BinaryIO]: ...

    def open_write(self, filepath: StrPath) -> AbstractContextManager[BinaryIO]: ...

    def isfile(self, filepath: StrPath) -> bool: ...

    def isdir(self, filepath: StrPath) -> bool: ...

    def entries(self, dir_path: StrPath) -> Iterator[Entry]: ...

    def make_folder(self, dir_path: StrPath) -> None: ...

    def join_path(self, filepath: StrPath, *filepaths: StrPath) -> str: ...

    def rmtree(self, dir_path: StrPath) -> None: ...


def list_entries(
    store: Store,
    dir_path: StrPath,
    *,
    list_dir: bool,
    list_file: bool,
    suffix: Suffix,
    recursive: bool,
) -> Iterator[str]:
    """Relative paths below a folder; wrong arguments and a missing folder raise at once."""
    if list_dir and suffix is not None:
        raise TypeError(
            f"suffix={suffix!r} selects files, and list_dir=True asks for folders too; "
            "pass list_dir=False"
        )
    if not (suffix is None or isinstance(suffix, (str, tuple))):
        raise TypeError(
            f"suffix is a str or a tuple of str, not {type(suffix).__name__} ({suffix!r})"
        )
    if not store.isdir(dir_path):
        raise FileNotFoundError(f"there is no folder {shown(dir_path)!r} to list")
    walked = walk(store, dir_path, recursive=recursive)
    return (
        path
        for path, entry in walked
        if (list_dir if entry.is_folder else list_file and path.endswith(suffix or ""))
    )


def walk(
    store: Store,
    dir_path: StrPath,
    *,
    recursive: bool = True,
    hidden: bool = False,
    _above: tuple[object, ...] = (),
) -> Iterator[tuple[str, Entry]]:
    """Each entry with its path relative to the folder, a folder before what it holds."""
    for entry in sorted(store.entries(dir_path), key=lambda entry: entry.name):
        if entry.name.startswith(".") and not hidden:
            continue
        if entry.key is not None and entry.key in _above:
            continue
        yield entry.name, entry
        if entry.is_folder and recursive:
            inside = store.join_path(dir_path, entry.name)
            for path, deeper in walk(store, inside, hidden=hidden, _above=(*_above, entry.key)):
                yield f"{entry.name}/{path}", deeper
