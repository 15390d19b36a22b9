"""The finished tree of a config: every container owned once, nodes ready for reading."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from ..errors import ConfigParsingError
from .config_dict import ConfigDict
from .draft import DraftDict
from .frozen import FrozenList
from .node import ATOMS, Node, copy_origins
from .placeholders import DottedName

MOST_VALUES = 5_000_000
"""More than this, and the file is taken for an attack by shared references."""

_put = dict.__setitem__


def finish(root: ConfigDict, shown: str, most_values: int = MOST_VALUES) -> ConfigDict:
    """Copy drafts into the nodes that users see; nothing in the result is shared.

    Args:
        root: what was read.
        shown: file name for errors.
        most_values: bound on the number of values, counted without sharing.

    Raises:
        ConfigParsingError: a container holds itself, or there are more values than allowed.
    """
    try:
        return _Finisher(most_values).node(root)
    except TooManyValuesError:
        raise too_many_values(shown, most_values) from None
    except RecursionError:
        raise ConfigParsingError(
            f"{shown}: a dict or list holds itself, or is nested too deeply; a config is a tree"
        ) from None


class TooManyValuesError(Exception):
    """There are more values than allowed."""


def too_many_values(shown: str, most_values: int) -> ConfigParsingError:
    """Build the error for a file that multiplies its values."""
    return ConfigParsingError(
        f"{shown}: the config is nested too deeply, or holds more than {most_values} values once "
        "shared references are written out; use fewer references to large values"
    )


class _Finisher:
    def __init__(self, most_values: int) -> None:
        self._left = most_values

    def node(self, value: ConfigDict | dict[Any, Any]) -> ConfigDict:
        self._left -= len(value) + 1
        if self._left < 0:
            raise TooManyValuesError
        node = ConfigDict.__new__(ConfigDict)
        for key, item in dict.items(value):
            _put(node, key, item if item.__class__ in ATOMS else self.value(item))
        copy_origins(value, node)
        return node

    def value(self, value: Any) -> Any:
        kind = value.__class__
        if kind in ATOMS:
            return value
        if kind is DraftDict or kind is dict:  # nearly all of them
            return self.node(value)
        if kind is list or kind is FrozenList or kind is tuple:
            self._left -= len(value) + 1
            if self._left < 0:
                raise TooManyValuesError
            items = [item if item.__class__ in ATOMS else self.value(item) for item in value]
            return tuple(items) if kind is tuple else items
        if kind is OrderedDict or isinstance(value, Node):
            return self.node(value)
        return str(value) if kind is DottedName else value
