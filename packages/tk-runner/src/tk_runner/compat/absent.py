"""Names of MMEngine without a counterpart: importing them is harmless, using them is an error."""

from __future__ import annotations

from typing import Any, NoReturn

from .errors import NotServedError
from .names import Target


class _Absent(type):
    """The kind of classes that cannot be made, nor asked for anything."""

    _message: str

    def __call__(cls, *args: Any, **kwargs: Any) -> NoReturn:
        raise NotServedError(cls._message)

    def __getattr__(cls, attribute: str) -> NoReturn:
        raise NotServedError(cls._message)


def absent(module: str, name: str, target: Target) -> type:
    """A class that stands for a name; making it, or reading from it, says what to do instead."""
    text = f"{module}.{name} is not part of the tk packages; {target.instead}"
    return _Absent(name, (), {"_message": text, "__module__": module, "__doc__": text})
