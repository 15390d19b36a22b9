"""JSON by the standard library; arrays, sets and ranges are written as lists."""

from __future__ import annotations

import json
from typing import IO, Any

from ..errors import ParseError, SerializeError
from .builtin_values import builtin_value, culprit
from .format import BaseFileHandler


class JsonHandler(BaseFileHandler):
    """Text; keyword arguments go to ``json.load`` and ``json.dump``."""

    def load_from_fileobj(self, file: IO[Any], **kwargs: Any) -> Any:
        """The value in an open text or binary file."""
        try:
            return json.load(file, **kwargs)
        except json.JSONDecodeError as error:
            raise ParseError(
                f"not JSON: {error.msg}", line=error.lineno, column=error.colno
            ) from error
        except RecursionError:
            raise ParseError("nested too deeply to be read") from None
        except UnicodeDecodeError:
            raise  # told by load(), with the place
        except ValueError as error:  # an integer of too many digits
            raise ParseError(f"not JSON: {error}") from error

    def dump_to_fileobj(self, obj: Any, file: IO[Any], **kwargs: Any) -> None:
        """Write a value to an open text file, piece by piece."""
        kwargs.setdefault("default", builtin_value)
        try:
            json.dump(obj, file, **kwargs)
        except (TypeError, ValueError, RecursionError) as error:
            raise _explained(obj, error, kwargs) from error

    def dump_to_str(self, obj: Any, **kwargs: Any) -> str:
        """The value as JSON text."""
        kwargs.setdefault("default", builtin_value)
        try:
            return json.dumps(obj, **kwargs)
        except (TypeError, ValueError, RecursionError) as error:
            raise _explained(obj, error, kwargs) from error


def _explained(obj: Any, error: Exception, kwargs: dict[str, Any]) -> SerializeError:
    def works(part: Any) -> bool:
        try:
            json.dumps(part, **kwargs)
        except (TypeError, ValueError, RecursionError):
            return False
        return True

    path, part = culprit(obj, works)
    return SerializeError(
        f"the value at obj{path} cannot be written as JSON ({type(part).__name__}): {error}; "
        "turn it into numbers, strings, lists and dicts with str keys, or pass default="
    )
