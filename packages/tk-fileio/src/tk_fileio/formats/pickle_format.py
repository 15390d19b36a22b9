"""Pickle: any Python object, and code that runs when it is read."""

from __future__ import annotations

import pickle
from typing import IO, Any, ClassVar

from ..errors import ParseError, SerializeError
from .builtin_values import culprit
from .format import BaseFileHandler


class PickleHandler(BaseFileHandler):
    """Bytes; read only files that you trust."""

    str_like: ClassVar[bool] = False
    runs_code: ClassVar[bool] = True

    def load_from_fileobj(self, file: IO[Any], **kwargs: Any) -> Any:
        """The object in an open binary file; **runs the code that the file holds**."""
        try:
            return pickle.load(file, **kwargs)  # noqa: S301  # load() refuses what is not trusted
        except (pickle.UnpicklingError, EOFError) as error:
            raise ParseError(f"not a pickle, or cut short: {error}") from error

    def dump_to_fileobj(self, obj: Any, file: IO[Any], **kwargs: Any) -> None:
        """Write an object to an open binary file, piece by piece."""
        try:
            pickle.dump(obj, file, **kwargs)
        except (pickle.PicklingError, TypeError, AttributeError, RecursionError) as error:
            raise _explained(obj, error) from error

    def dump_to_str(self, obj: Any, **kwargs: Any) -> bytes:
        """The object as bytes."""
        try:
            return pickle.dumps(obj, **kwargs)
        except (pickle.PicklingError, TypeError, AttributeError, RecursionError) as error:
            raise _explained(obj, error) from error


def _explained(obj: Any, error: Exception) -> SerializeError:
    def works(part: Any) -> bool:
        try:
            pickle.dumps(part)
        except Exception:  # whatever a __reduce__ raises
            return False
        return True

    path, part = culprit(obj, works)
    return SerializeError(
        f"the value at obj{path} cannot be pickled ({type(part).__name__}): {error}; "
        "leave it out, or give its class a __getstate__ that does"
    )
