"""Lists and dicts from plain text files, read line by line."""

from __future__ import annotations

import io
from collections.abc import Callable, Generator
from itertools import islice
from typing import TypeVar

from .errors import ParseError, not_text
from .operations import BackendArgs, open_read
from .uri import StrPath, shown

Key = TypeVar("Key")


def list_from_file(
    filename: StrPath,
    prefix: str = "",
    offset: int = 0,
    max_num: int = 0,
    encoding: str = "utf-8",
    backend_args: BackendArgs = None,
) -> list[str]:
    """The lines of a text file, without their ends.

    Reading stops at the last line that is asked for.

    Args:
        filename: path or URI.
        prefix: put before each line.
        offset: how many lines to skip.
        max_num: how many to read at most; 0 for all.
        encoding: of the file.
        backend_args: see :func:`get_file_backend`.
    """
    stop = offset + max_num if max_num > 0 else None
    lines = _lines(filename, encoding, backend_args)
    try:
        return [prefix + line for line in islice(lines, offset, stop)]
    finally:
        lines.close()


def dict_from_file(
    filename: StrPath,
    key_type: Callable[[str], Key] = str,  # type: ignore[assignment]  # str is Callable[[str], str]
    encoding: str = "utf-8",
    backend_args: BackendArgs = None,
) -> dict[Key, str | list[str]]:
    """A mapping from the first column to the rest of each line.

    One further column gives a str, several a list. Empty lines are skipped.

    Raises:
        ParseError: a line with one column only, or a key that ``key_type`` refuses.
    """
    mapping: dict[Key, str | list[str]] = {}
    for number, line in enumerate(_lines(filename, encoding, backend_args), start=1):
        columns = line.split()
        if not columns:
            continue
        if len(columns) == 1:
            raise ParseError(
                f"{line!r} has one column; a key and at least one value are needed",
                path=shown(filename),
                line=number,
            )
        key, *values = columns
        try:
            typed = key_type(key)
        except (TypeError, ValueError) as error:
            name = getattr(key_type, "__name__", repr(key_type))
            raise ParseError(
                f"the key {key!r} cannot be turned into {name}: {error}",
                path=shown(filename),
                line=number,
            ) from error
        mapping[typed] = values[0] if len(values) == 1 else values
    return mapping


def _lines(
    filename: StrPath, encoding: str, backend_args: BackendArgs
) -> Generator[str, None, None]:
    with (
        open_read(filename, backend_args) as stream,
        io.TextIOWrapper(stream, encoding=encoding) as text,
    ):
        try:
            for line in text:
                yield line.rstrip("\n")
        except UnicodeDecodeError as error:
            raise not_text(error, filename) from error
