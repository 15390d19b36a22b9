"""Nested field values: one function applied to every leaf.

Lists, tuples, named tuples and mappings are walked and rebuilt; what they hold
is a leaf. A data element is a leaf too: its own methods know how to convert it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any


def map_leaves(function: Callable[[Any], Any], value: Any) -> Any:
    """``value`` with ``function`` applied to each leaf; containers are rebuilt, never changed."""
    if isinstance(value, tuple):
        parts = [map_leaves(function, part) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if isinstance(value, list):
        return [map_leaves(function, part) for part in value]
    if isinstance(value, dict):
        parts_by_key = {key: map_leaves(function, part) for key, part in value.items()}
        return _as_type_of(value, parts_by_key)
    return function(value)


def _as_type_of(value: Mapping[Any, Any], parts: dict[Any, Any]) -> Any:
    if type(value) is dict:
        return parts
    try:
        return type(value)(parts)  # type: ignore[call-arg]
    except TypeError:  # a mapping that is built in another way
        return parts
