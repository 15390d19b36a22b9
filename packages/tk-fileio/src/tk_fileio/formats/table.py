"""Which format a suffix means. The built-in ones are imported when first used."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from ..errors import UnknownFormatError
from ..near_names import did_you_mean
from .format import BaseFileHandler

HandlerClass = TypeVar("HandlerClass", bound=type[BaseFileHandler])

_HERE = "tk_fileio.formats"
_handlers: dict[str, BaseFileHandler | str] = {
    "json": f"{_HERE}.json_format:JsonHandler",
    "yaml": f"{_HERE}.yaml_format:YamlHandler",
    "yml": f"{_HERE}.yaml_format:YamlHandler",
    "toml": f"{_HERE}.toml_format:TomlHandler",
    "pickle": f"{_HERE}.pickle_format:PickleHandler",
    "pkl": f"{_HERE}.pickle_format:PickleHandler",
}
_COMPRESSED = {"gz": "gzip", "bz2": "bz2", "xz": "lzma"}


def register_handler(
    file_formats: str | Iterable[str], **kwargs: Any
) -> Callable[[HandlerClass], HandlerClass]:
    """Class decorator: the class reads and writes files with these suffixes.

    A format that is known already is taken over.

    Args:
        file_formats: suffixes without their dot.
        kwargs: for the constructor of the class; one object is made.

    Raises:
        TypeError: a suffix is not a str, or the class no ``BaseFileHandler``.
    """
    formats: list[Any] = [file_formats] if isinstance(file_formats, str) else list(file_formats)
    if wrong := [suffix for suffix in formats if not isinstance(suffix, str)]:
        raise TypeError(f"file_formats are suffixes, each a str; got {wrong!r}")

    def register(cls: HandlerClass) -> HandlerClass:
        given: Any = cls
        if not (isinstance(given, type) and issubclass(given, BaseFileHandler)):
            raise TypeError(
                f"a format is a subclass of BaseFileHandler, not {cls!r}; "
                "derive from tk_fileio.BaseFileHandler"
            )
        handler = cls(**kwargs)
        _handlers.update({suffix.lower().lstrip("."): handler for suffix in formats})
        return cls

    return register


def handler_for(file_format: str | None, *, shown_name: str = "the file") -> BaseFileHandler:
    """The handler of a format.

    Raises:
        UnknownFormatError: nobody registered one.
    """
    suffix = file_format.lower().lstrip(".") if isinstance(file_format, str) else None
    found = _handlers.get(suffix) if suffix else None
    if found is None:
        raise _unknown(suffix, shown_name)
    if isinstance(found, str):
        module, _, attribute = found.partition(":")
        handler: BaseFileHandler = getattr(importlib.import_module(module), attribute)()
        # Aliases such as yaml and yml share one object.
        _handlers.update({key: handler for key, other in _handlers.items() if other == found})
        return handler
    return found


def _unknown(suffix: str | None, shown_name: str) -> UnknownFormatError:
    known = sorted(_handlers)
    if not suffix:
        what = f"{shown_name} has no suffix that tells its format"
        mend = "pass file_format="
    elif suffix in _COMPRESSED:
        what = f"{shown_name} is compressed (.{suffix})"
        opener = _COMPRESSED[suffix]
        mend = f"open it with {opener}.open and pass the file object together with file_format="
    else:
        what = f"no format is called {suffix!r} ({shown_name})"
        mend = did_you_mean(suffix, known, "pass file_format=, or use register_handler")
    return UnknownFormatError(f"{what}; known: {', '.join(known)}; {mend}")
