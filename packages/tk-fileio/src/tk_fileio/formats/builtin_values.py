"""Turning values of other libraries into builtin ones, and finding those that cannot be.

Arrays, scalars and tensors are recognised by what they offer, so that no numpy
is needed to write one.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any


def builtin_value(value: Any) -> Any:
    """The builtin value that stands for ``value`` in a text format.

    Sets are sorted where their members can be compared, so that the same set
    gives the same text.

    Raises:
        TypeError: there is none.
    """
    if isinstance(value, (set, frozenset)):
        try:
            return sorted(value)
        except TypeError:
            return list(value)
    if isinstance(value, (range, tuple)):
        return list(value)
    if hasattr(value, "dtype") and hasattr(value, "tolist"):
        return value.tolist()  # numpy arrays and scalars, tensors
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"a {type(value).__name__} has no form in a text format")


def culprit(value: Any, works: Callable[[Any], bool]) -> tuple[str, Any]:
    """The innermost part of ``value`` that does not work, and the path to it.

    Returns:
        The path, such as ``['model'][2]``, empty for the value itself; and the part.
    """
    path = ""
    seen = {id(value)}
    while True:
        for step, part in _parts(value):
            if id(part) not in seen and not works(part):
                seen.add(id(part))
                path, value = path + step, part
                break
        else:
            return path, value


def _parts(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        yield from ((f"[{key!r}]", part) for key, part in value.items())
    elif isinstance(value, (list, tuple)):
        yield from ((f"[{index}]", part) for index, part in enumerate(value))
    elif isinstance(attributes := getattr(value, "__dict__", None), dict):
        yield from ((f".{name}", part) for name, part in attributes.items())
