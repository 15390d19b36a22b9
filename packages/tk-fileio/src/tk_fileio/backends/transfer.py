"""Copying between any two stores, piece by piece.

A file is never held whole. A copied file is whole or absent, as far as its store
can promise that; a tree that cannot be copied to its end is taken back. Names
that the source reports are not trusted to stay below the target.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from ..below import join_below
from ..uri import StrPath, parse_uri, path_text, shown
from .listing import Store, walk

_PIECE_BYTES = 1 << 20


def copy_stream(reader: BinaryIO, writer: BinaryIO) -> None:
    """Copy all that is left in ``reader``, a megabyte at a time."""
    shutil.copyfileobj(reader, writer, _PIECE_BYTES)


def copy_file(source: Store, src: StrPath, target: Store, dst: StrPath) -> str:
    """Copy one file; into ``dst`` under its own name if that is a folder.

    Returns:
        Where the copy lies.
    """
    place = destination(target, src, dst)
    if source is target and path_text(src) == place:
        raise shutil.SameFileError(f"{shown(src)!r} cannot be copied onto itself")
    with source.open_read(src) as reader, target.open_write(place) as writer:
        copy_stream(reader, writer)
    return place


def copy_tree(source: Store, src: StrPath, target: Store, dst: StrPath) -> str:
    """Copy a folder with hidden files and empty folders; ``dst`` must not exist."""
    if target.isdir(dst) or target.isfile(dst):
        raise FileExistsError(
            f"{shown(dst)!r} is there already; remove it or choose another destination"
        )
    if not source.isdir(src):
        raise NotADirectoryError(f"there is no folder {shown(src)!r} to copy")
    place = path_text(dst)
    # Listed before anything is written: the destination may lie inside the source.
    found = list(walk(source, src, hidden=True))
    try:
        target.make_folder(place)
        for path, entry in found:
            inside = join_below(place, path)
            if entry.is_folder:
                target.make_folder(inside)
            else:
                _copy_one(source, source.join_path(src, path), target, inside)
    except BaseException:
        with suppress(Exception):
            target.rmtree(place)
        raise
    return place


def destination(target: Store, src: StrPath, dst: StrPath) -> str:
    """The file that copying ``src`` to ``dst`` would write."""
    place = path_text(dst)
    if not target.isdir(place):
        return place
    return target.join_path(place, PurePosixPath(parse_uri(src).text).name)


@contextmanager
def temporary_copy(source: Store, filepath: StrPath) -> Iterator[str]:
    """A private local copy of a file, with the same suffix, for the time of the block."""
    folder = tempfile.mkdtemp(prefix="tk-fileio-")  # readable by its owner only
    try:
        suffix = parse_uri(filepath).suffix
        copy = Path(folder, f"copy.{suffix}" if suffix.isalnum() else "copy")
        with source.open_read(filepath) as reader, copy.open("wb") as writer:
            copy_stream(reader, writer)
        yield str(copy)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _copy_one(source: Store, src: str, target: Store, place: str) -> None:
    if source is target and hasattr(source, "copyfile"):
        source.copyfile(src, place)  # the store may know a better way
        return
    with source.open_read(src) as reader, target.open_write(place) as writer:
        copy_stream(reader, writer)
