"""Values of a config against the annotations of parameters, as far as both are simple.

Judged are int, float, bool, str, None, list, dict, tuple, Literal and unions of them.
Everything else fits, so that a check never refuses what might run: data formats have
no tuples, so lists and tuples stand for each other, and an int is a float.
"""

from __future__ import annotations

import collections.abc
import inspect
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any, Literal, Union

_CONFIG_KINDS = (int, float, str, type(None), list, tuple, Mapping)
_SEQUENCES = (
    list,
    tuple,
    collections.abc.Sequence,
    collections.abc.MutableSequence,
    collections.abc.Collection,
    collections.abc.Iterable,
)
_MAPPINGS = (dict, collections.abc.Mapping, collections.abc.MutableMapping)


def misfit(value: Any, parameter: inspect.Parameter, factory: Callable[..., Any]) -> str | None:
    """What the parameter wants instead of ``value``, as a sentence, or ``None`` if it fits."""
    if value is parameter.default:
        return None
    hint = _evaluated(parameter, factory)
    if fits(value, hint):
        return None
    return f"the argument {parameter.name!r} must be {_shown(hint)}, got {_kind(value)} {value!r}"


def fits(value: Any, hint: Any) -> bool:
    """Whether ``value`` may be given where ``hint`` is asked for; unsure means yes."""
    if not isinstance(value, _CONFIG_KINDS):
        return True
    if hint is None or hint is type(None):
        return value is None
    base = typing.get_origin(hint) or hint
    arguments = typing.get_args(hint)
    if base in (Union, types.UnionType):
        return any(fits(value, choice) for choice in arguments)
    if base is Literal:
        return any(value == choice and type(value) is type(choice) for choice in arguments)
    if base is float:
        return isinstance(value, (int, float))
    if base in (int, bool, str):
        return isinstance(value, base)
    if base in _SEQUENCES:
        return _fits_sequence(value, base, arguments)
    if base in _MAPPINGS:
        return _fits_mapping(value, arguments)
    return True


def _fits_sequence(value: Any, base: Any, arguments: tuple[Any, ...]) -> bool:
    if not isinstance(value, (list, tuple)):
        return base not in (list, tuple) and isinstance(value, (str, Mapping))
    if not arguments:
        return True
    if base is tuple and arguments[-1] is not Ellipsis:
        return len(value) == len(arguments) and all(map(fits, value, arguments))
    return all(fits(entry, arguments[0]) for entry in value)


def _fits_mapping(value: Any, arguments: tuple[Any, ...]) -> bool:
    if not isinstance(value, Mapping):
        # libraries without a type checker say dict where they take a list of dicts too
        return isinstance(value, (list, tuple)) and all(
            isinstance(entry, Mapping) for entry in value
        )
    if len(arguments) != 2:
        return True
    return all(fits(key, arguments[0]) and fits(value[key], arguments[1]) for key in value)


def _evaluated(parameter: inspect.Parameter, factory: Callable[..., Any]) -> Any:
    """The annotation as an object; ``Any`` where there is none or it cannot be evaluated."""
    if parameter.annotation is inspect.Parameter.empty:
        return Any
    holder = types.SimpleNamespace(__annotations__={"hint": parameter.annotation})
    try:
        return typing.get_type_hints(holder, _globals_of(factory))["hint"]
    except Exception:  # names that exist for type checkers only, or code of any kind
        return Any


def _globals_of(factory: Any) -> dict[str, Any]:
    while hasattr(factory, "func"):
        factory = factory.func
    if isinstance(factory, type):
        made_by = factory.__init__ if factory.__init__ is not object.__init__ else factory.__new__  # type: ignore[misc]  # the class's own, on purpose
        factory = made_by
    return getattr(inspect.unwrap(factory), "__globals__", {})


def _shown(hint: Any) -> str:
    if isinstance(hint, type) and not typing.get_args(hint):
        return hint.__name__
    return str(hint).replace("typing.", "").replace("NoneType", "None")


def _kind(value: Any) -> str:
    return "" if value is None else type(value).__name__
