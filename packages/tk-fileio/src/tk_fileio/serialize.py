"""Values to files and back: the suffix says the format, the address the backend.

Text is UTF-8, whatever the machine. Values are written piece by piece into a
file that becomes visible only when it is complete.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import IO, Any

from .backends.backend import BaseStorageBackend
from .backends.table import get_file_backend
from .errors import ParseError, UntrustedSourceError, not_text
from .formats.format import BaseFileHandler
from .formats.table import handler_for
from .operations import BackendArgs
from .uri import StrPath, parse_uri, shown

_pickles_are_trusted: ContextVar[bool] = ContextVar("pickles_are_trusted", default=False)


@contextmanager
def trust_pickles() -> Iterator[None]:
    """Let `load` read pickles inside the block, also where the call lies in other code.

    Reading a pickle runs the code that it holds. This is for an application that knows
    who wrote all the files that it is about to read, such as the annotations that a
    dataset names; a config cannot turn it on.
    """
    token = _pickles_are_trusted.set(True)
    try:
        yield
    finally:
        _pickles_are_trusted.reset(token)


def load(
    file: StrPath | IO[Any],
    file_format: str | None = None,
    backend_args: BackendArgs = None,
    *,
    trusted: bool = False,
    **kwargs: Any,
) -> Any:
    """The value in a file.

    Args:
        file: an address, or an open file, which is left open.
        file_format: ``json``, ``yaml``, ``toml``, ``pickle``, ...; found by the
            suffix, upper case too, if left out.
        backend_args: see :func:`get_file_backend`.
        trusted: ``True`` allows formats that run code when they are read (pickle).
        kwargs: for the format, such as ``parse_float`` for JSON.

    Raises:
        UnknownFormatError: no handler for the suffix or ``file_format``.
        UntrustedSourceError: a pickle, and neither ``trusted`` nor inside
            ``trust_pickles()``.
        ParseError: the content is broken; with the file and, where known, the line.
    """
    _refuse_old_arguments(kwargs)
    if not isinstance(file, (str, os.PathLike)):
        _check_open_file(file, "read")
        handler = handler_for(file_format, shown_name="an open file")
        _refuse_code(handler, "an open file", trusted)
        return handler.load_from_fileobj(file, **kwargs)
    handler, backend = _chosen(file, file_format, backend_args)
    _refuse_code(handler, repr(shown(file)), trusted)
    try:
        with backend.open_read(file) as stream:
            if not handler.str_like:
                return handler.load_from_fileobj(stream, **kwargs)
            # utf-8-sig: some editors put a byte order mark in front
            with io.TextIOWrapper(stream, encoding="utf-8-sig") as text:
                return handler.load_from_fileobj(text, **kwargs)
    except ParseError as error:
        error.path = error.path or shown(file)
        raise
    except UnicodeDecodeError as error:
        raise not_text(error, file) from error


def dump(
    obj: Any,
    file: StrPath | IO[Any] | None = None,
    file_format: str | None = None,
    backend_args: BackendArgs = None,
    **kwargs: Any,
) -> str | bytes | None:
    """Write a value to a file, or return it as text or bytes if there is no file.

    Args:
        obj: the value.
        file: an address, an open file, or ``None``.
        file_format: as for :func:`load`.
        backend_args: see :func:`get_file_backend`.
        kwargs: for the format, such as ``indent`` for JSON.

    Raises:
        ValueError: neither a file nor a format.
        UnknownFormatError: no handler for the suffix or ``file_format``.
        SerializeError: a value that the format cannot hold; the text says where
            in ``obj`` it is. A file that was there before is left as it was.
    """
    _refuse_old_arguments(kwargs)
    if file is None:
        if file_format is None:
            raise ValueError("without a file, dump needs file_format, such as 'json'")
        return handler_for(file_format).dump_to_str(obj, **kwargs)
    if not isinstance(file, (str, os.PathLike)):
        _check_open_file(file, "write")
        handler_for(file_format, shown_name="an open file").dump_to_fileobj(obj, file, **kwargs)
        return None
    handler, backend = _chosen(file, file_format, backend_args)
    with backend.open_write(file) as stream:
        if handler.str_like:
            text = io.TextIOWrapper(stream, encoding="utf-8", newline="\n")
            handler.dump_to_fileobj(obj, text, **kwargs)
            text.detach()  # flushes, and leaves the stream to the backend
        else:
            handler.dump_to_fileobj(obj, stream, **kwargs)
    return None


def _chosen(
    file: StrPath, file_format: str | None, backend_args: BackendArgs
) -> tuple[BaseFileHandler, BaseStorageBackend]:
    suffix = parse_uri(file).suffix
    handler = handler_for(file_format or suffix, shown_name=repr(shown(file)))
    return handler, get_file_backend(file, backend_args=backend_args, enable_singleton=True)


def _refuse_code(handler: BaseFileHandler, name: str, trusted: bool) -> None:
    if handler.runs_code and not trusted and not _pickles_are_trusted.get():
        raise UntrustedSourceError(
            f"reading {name} could run code that it holds ({type(handler).__name__}); use a data "
            "format such as JSON, or, if you know who wrote it, pass trusted=True or read it "
            "inside `with tk_fileio.trust_pickles():`"
        )


def _refuse_old_arguments(kwargs: dict[str, Any]) -> None:
    if "file_client_args" in kwargs:
        raise TypeError("file_client_args is not supported; pass the same dict as backend_args")


def _check_open_file(file: object, verb: str) -> None:
    if not hasattr(file, verb):
        raise TypeError(
            f"a {type(file).__name__} ({file!r:.80}) is neither a path nor an open file; "
            f"pass a str, a Path, or an object with {verb}()"
        )
