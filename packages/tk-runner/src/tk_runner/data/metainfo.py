"""Metainfo of datasets: where its values come from, and where two differ.

A string that names a text file is replaced by the lines of the file. It names
one when it ends in a suffix of text files, or when it is a path with a folder
to a file that exists; every other string is a value, and no file is touched.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePath
from typing import Any

import numpy as np
import torch

from tk_fileio import list_from_file

from .errors import MetainfoError

_TEXT_SUFFIXES = {".txt", ".names", ".list", ".lst"}


def read_metainfo(
    argument: Mapping[str, Any] | None, of_class: Mapping[str, Any]
) -> dict[str, Any]:
    """The metainfo of a dataset: the argument over the class, texts read, all copied.

    Raises:
        MetainfoError: the argument is not a mapping.
        FileNotFoundError: a value names a text file that is not there.
    """
    found = copy.deepcopy(dict(of_class))
    if argument is None:
        given: dict[str, Any] = {}
    elif isinstance(argument, Mapping):
        given = copy.deepcopy(dict(argument))
    else:
        raise MetainfoError(
            f"metainfo must be a mapping of names and values, not {type(argument).__name__}"
        )
    return {key: _value(key, value) for key, value in {**found, **given}.items()}


def _value(key: str, value: Any) -> Any:
    if not isinstance(value, str) or not _names_text_file(value):
        return value
    try:
        return list_from_file(value)
    except FileNotFoundError as error:
        raise FileNotFoundError(
            f"metainfo {key}={value!r} names a text file, which is not there; "
            f"give its path from {os.getcwd()}, or the value itself as a list"  # noqa: PTH109
        ) from error


def _names_text_file(value: str) -> bool:
    if "\n" in value:
        return False
    if PurePath(value).suffix.lower() in _TEXT_SUFFIXES:
        return True
    return "/" in value and "://" not in value and Path(value).is_file()


def difference(one: Any, other: Any, path: str = "") -> str | None:
    """Where and how two values differ, or ``None`` where they are equal at any depth."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return _mapping_difference(one, other, path)
    if type(one) is not type(other):
        return (
            f"{path} is of type {type(one).__name__} in one, {type(other).__name__} in the other"
            f" ({_short(one)}; {_short(other)})"
        )
    if isinstance(one, (np.ndarray, torch.Tensor)):
        same = one.shape == other.shape and one.dtype == other.dtype and bool((one == other).all())
        return None if same else f"{path} is {_short(one)} in one, {_short(other)} in the other"
    if isinstance(one, Sequence) and not isinstance(one, (str, bytes)):
        if len(one) != len(other):
            return f"{path} is {_short(one)} in one, {_short(other)} in the other"
        parts = (
            difference(mine, theirs, f"{path}[{position}]")
            for position, (mine, theirs) in enumerate(zip(one, other, strict=True))
        )
        return next((part for part in parts if part is not None), None)
    same = one is other or bool(one == other)
    return None if same else f"{path} is {_short(one)} in one, {_short(other)} in the other"


def _mapping_difference(one: Mapping[Any, Any], other: Mapping[Any, Any], path: str) -> str | None:
    for key in [*one, *(key for key in other if key not in one)]:
        where = f"{path}.{key}" if path else str(key)
        if key not in one or key not in other:
            value = one[key] if key in one else other[key]
            return f"{where}={_short(value)} is in {'one' if key in one else 'the other'} only"
        if found := difference(one[key], other[key], where):
            return found
    return None


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 200 else f"{text[:200]}..."
