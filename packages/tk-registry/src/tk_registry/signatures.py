"""Arguments against the signature of what they are for, without calling it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterable
from typing import Any, NamedTuple

from .near_names import did_you_mean, listing


class ArgumentProblem(NamedTuple):
    """An argument that is unknown or missing, and the sentence that says so."""

    argument: str
    message: str
    is_missing: bool


def parameters_of(factory: Callable[..., Any]) -> dict[str, inspect.Parameter] | None:
    """The parameters by name, or ``None`` for a callable of C that does not tell."""
    try:
        return dict(inspect.signature(factory).parameters)
    except (TypeError, ValueError):
        return None


def argument_problems(
    factory: Callable[..., Any], given: Iterable[Any], supplied: Collection[str] = ()
) -> list[ArgumentProblem]:
    """Every unknown and missing argument, unknown ones first.

    Args:
        factory: class or function.
        given: names of the keyword arguments.
        supplied: names that somebody else adds before the call; ``"*"`` is any name.
    """
    parameters = parameters_of(factory)
    if parameters is None:
        return []
    names = set(given)
    kinds = {parameter.kind for parameter in parameters.values()}
    by_name = [
        name
        for name, parameter in parameters.items()
        if parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
    ]
    found = []
    for name in sorted(names, key=str):
        if not isinstance(name, str):
            found.append(
                ArgumentProblem(str(name), f"the argument name {name!r} is not a str", False)
            )
        elif name not in by_name and inspect.Parameter.VAR_KEYWORD not in kinds:
            found.append(ArgumentProblem(name, _unknown(name, by_name), False))
    for name in by_name:
        is_given = name in names or name in supplied or "*" in supplied
        if parameters[name].default is inspect.Parameter.empty and not is_given:
            found.append(ArgumentProblem(name, f"the argument {name!r} is missing", True))
    return found


def _unknown(name: str, known: list[str]) -> str:
    hint = did_you_mean(name, known, f"it takes: {listing(known)}")
    return f"there is no argument {name!r}; {hint}"
