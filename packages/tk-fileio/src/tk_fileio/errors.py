"""The errors of tk_fileio: one base, and each is also the built-in that callers catch."""

from __future__ import annotations

from .uri import StrPath, shown


class FileIOError(Exception):
    """Base of every error that tk_fileio raises on purpose."""


class MissingExtraError(FileIOError, ImportError):
    """An optional package that this use needs is not installed."""


class UnknownBackendError(FileIOError, KeyError):
    """No backend is registered under that name or URI scheme."""

    def __str__(self) -> str:  # KeyError would show the repr of the text
        return str(self.args[0])


class UnknownFormatError(FileIOError, TypeError):
    """No file format belongs to that name or suffix."""


class UnsupportedOperationError(FileIOError, NotImplementedError):
    """The backend or the format cannot do this at all."""


class UnsafePathError(FileIOError, ValueError):
    """A name from outside would lead out of the folder that it belongs to."""


class UntrustedSourceError(FileIOError, ValueError):
    """Reading this could run code, and nobody said that its source is trusted."""


class RemoteError(FileIOError, OSError):
    """A remote store did not answer, or not with what was asked for."""


class SerializeError(FileIOError, TypeError):
    """A value cannot be written in that format; the text says where in the object it is."""


class ParseError(FileIOError, ValueError):
    """The content of a file is not what its format allows.

    Attributes:
        reason: what is wrong, without the place.
        path: the file, where it is known.
        line: line of the mistake, from 1, where the format tells.
        column: column of the mistake, from 1, where the format tells.
    """

    def __init__(
        self,
        reason: str,
        *,
        path: str | None = None,
        line: int | None = None,
        column: int | None = None,
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.path = path
        self.line = line
        self.column = column

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.path, self.line, self.column) if part)
        if not place:
            return self.reason
        return f"{place}: {self.reason}" if self.path else f"line {place}: {self.reason}"


def not_text(error: UnicodeDecodeError, file: StrPath) -> ParseError:
    """The error for a file that is not text in the encoding that was asked for."""
    encoding = error.encoding.upper()
    return ParseError(
        f"not {encoding} text: {error.reason} at byte {error.start}; save the file as "
        f"{encoding}, or name the encoding or the format that it has",
        path=shown(file),
    )
