"""TOML, which is read and not written."""

from __future__ import annotations

import re
import sys
from typing import IO, Any, NoReturn

from ..errors import ParseError, UnsupportedOperationError
from .format import BaseFileHandler

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_PLACE = re.compile(r" \(at line (\d+), column (\d+)\)$")


class TomlHandler(BaseFileHandler):
    """Text; keyword arguments go to ``tomllib.loads``."""

    def load_from_fileobj(self, file: IO[Any], **kwargs: Any) -> Any:
        """The table in an open text or binary file."""
        content = file.read()
        text = content if isinstance(content, str) else content.decode("utf-8")
        try:
            return tomllib.loads(text, **kwargs)
        except tomllib.TOMLDecodeError as error:
            reason = str(error)
            place = _PLACE.search(reason)
            line, column = map(int, place.groups()) if place else (None, None)
            raise ParseError(
                f"not TOML: {_PLACE.sub('', reason)}", line=line, column=column
            ) from error
        except RecursionError:
            raise ParseError("nested too deeply to be read") from None
        except ValueError as error:  # an integer of too many digits
            raise ParseError(f"not TOML: {error}") from error

    def dump_to_fileobj(self, obj: Any, file: IO[Any], **kwargs: Any) -> NoReturn:
        """Refuse."""
        self.dump_to_str(obj)

    def dump_to_str(self, obj: Any, **kwargs: Any) -> NoReturn:
        """Refuse."""
        raise UnsupportedOperationError(
            "TOML is read, not written: Python has no writer for it, and TOML has no null; "
            "dump to .yaml or .json instead"
        )
