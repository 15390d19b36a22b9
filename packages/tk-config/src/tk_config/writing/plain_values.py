"""Values that are no literals: as equal builtin values, or by the name that imports them."""

from __future__ import annotations

import enum
import sys
from collections.abc import Mapping
from typing import Any

from ..errors import DumpError
from ..tree.placeholders import LAZY_TYPES
from ..tree.secret import Secret

_BUILTINS: tuple[Any, ...] = (str, bytes, int, float, complex, list, set, frozenset)


def plain_value(value: Any) -> Any:
    """Give a builtin value equal to a look-alike (NumPy scalar, subclass), else the value."""
    if isinstance(value, (Secret, bool)):
        return value
    if isinstance(value, enum.Enum):
        return value.value if isinstance(value, (int, str, float)) else value
    if isinstance(value, Mapping):
        # the lazy values of a node stay lazy
        return dict(dict.items(value) if isinstance(value, dict) else value.items())
    if (
        type(value).__module__ == "numpy"
        and hasattr(value, "item")
        and not hasattr(value, "__len__")
    ):
        item = value.item() if getattr(value, "ndim", 1) == 0 else value
        return item if type(item).__module__ != "numpy" else float(item)
    for kind in _BUILTINS:
        if isinstance(value, kind) and value.__class__ is not kind:
            return str.__str__(value) if kind is str else kind(value)
    if isinstance(value, tuple) and value.__class__ is not tuple:
        return tuple(value)
    return value


def dotted_name(value: Any) -> str:
    """Give the name by which a function or class can be imported.

    Raises:
        DumpError: it has none, as a lambda, a local class or an object.
    """
    if value.__class__ in LAZY_TYPES:
        return str(value.dotted_name)
    if type(value).__module__ == "torch" and type(value).__name__ == "dtype":
        return repr(value)
    name = getattr(value, "__qualname__", None)
    module = getattr(value, "__module__", None)
    owner = getattr(value, "__self__", None)
    if name and module is None and isinstance(owner, type):
        module = owner.__module__
    if not callable(value) or not name:
        raise DumpError(
            f"a {type(value).__name__} object has no literal; "
            "write dict(type=..., ...) and let it be built, or give plain data"
        )
    if "<" in name:
        raise DumpError(
            "a lambda or a local object cannot be named; define it at the top level of a module"
        )
    found: Any = sys.modules.get(module or "builtins")
    for part in name.split("."):
        found = getattr(found, part, None)
    if found is not value and found != value:  # methods are made anew at each access
        raise DumpError(
            f"the name {module}.{name} does not lead back to it; define it at a module's top level"
        )
    return f"{module or 'builtins'}.{name}"
