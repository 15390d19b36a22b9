"""The contract of a file format."""

from __future__ import annotations

import io
from abc import ABC, abstractmethod
from typing import IO, Any, ClassVar

from ..atomic import atomic_write
from ..backends.regular_file import open_regular
from ..uri import StrPath, local_path


class BaseFileHandler(ABC):
    """Reads and writes values of one format; knows nothing about places.

    Broken content is a ``ParseError`` with the line where it is known, a value
    that the format cannot hold a ``SerializeError`` that says where in the
    object it is.
    """

    str_like: ClassVar[bool] = True
    """Whether the format is text; the file objects it gets are opened accordingly."""

    runs_code: ClassVar[bool] = False
    """Whether reading a file of this format can run code that the file holds."""

    def load_from_path(self, filepath: StrPath, **kwargs: Any) -> Any:
        """The value in a local file."""
        with open_regular(local_path(filepath)) as file:
            if not self.str_like:
                return self.load_from_fileobj(file, **kwargs)
            with io.TextIOWrapper(file, encoding="utf-8") as text:
                return self.load_from_fileobj(text, **kwargs)

    def dump_to_path(self, obj: Any, filepath: StrPath, **kwargs: Any) -> None:
        """Write a value to a local file, which is whole or absent."""
        with atomic_write(filepath, "w" if self.str_like else "wb") as file:
            self.dump_to_fileobj(obj, file, **kwargs)

    @abstractmethod
    def load_from_fileobj(self, file: IO[Any], **kwargs: Any) -> Any:
        """The value in an open file."""

    @abstractmethod
    def dump_to_fileobj(self, obj: Any, file: IO[Any], **kwargs: Any) -> None:
        """Write a value to an open file."""

    @abstractmethod
    def dump_to_str(self, obj: Any, **kwargs: Any) -> str | bytes:
        """The value as str, or as bytes where the format is not text."""
