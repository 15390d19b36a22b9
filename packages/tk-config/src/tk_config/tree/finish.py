"""The finished tree of a config: every container owned once, nodes ready for reading."""

from __future__ import annotations

from collections import OrderedDict
from types import FunctionType
from typing import Any

from ..errors import ConfigParsingError
from .config_dict import ConfigDict
from .draft import DraftDict
from .frozen import FrozenList
from .node import ATOMS, Node, copy_origins
from .paths import origin_at
from .placeholders import DottedName

CONFIG_MODULE = "__config__"
"""What ``__name__`` is while a config is executed."""
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
        ConfigParsingError: a container holds itself, there are more values than allowed, or
            a value is a function or class that the config itself defines.
    """
    try:
        return _Finisher(most_values).node(root)
    except TooManyValuesError:
        raise too_many_values(shown, most_values) from None
    except _DefinedInConfigError as error:
        raise _defined_in_config(root, error.args[0], shown) from None
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
        if getattr(value, "__module__", None) == CONFIG_MODULE and _is_definition(value):
            raise _DefinedInConfigError(value)
        return str(value) if kind is DottedName else value


def _is_definition(value: Any) -> bool:
    return isinstance(value, (FunctionType, type))


class _DefinedInConfigError(Exception):
    """A value is a function or class that the config itself defines."""


def _defined_in_config(root: ConfigDict, value: Any, shown: str) -> ConfigParsingError:
    path = _path_of(root, value)
    place = origin_at(root, path) or shown
    kind = "class" if isinstance(value, type) else "function"
    name = value.__name__ if value.__name__.isidentifier() else "my_function"
    return ConfigParsingError(
        f"{place}: the value of {path!r} is the {kind} {value.__name__}, which the config itself "
        "defines, so that no dumped config and no checkpoint can name it; define it in a module "
        f"and write its import path, such as 'my_module.{name}'"
    )


def _path_of(value: Any, wanted: Any) -> str:
    """Give the dotted path of a value inside another one."""
    items: Any = ()
    if isinstance(value, dict):
        items = dict.items(value)
    elif isinstance(value, (list, tuple)):
        items = enumerate(value)
    for key, item in items:
        if item is wanted:
            return str(key)
        if inner := _path_of(item, wanted):
            return f"{key}.{inner}"
    return ""
