"""Decorators for names that go away."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any


def deprecated_api_warning(
    name_dict: dict[str, str], cls_name: str | None = None
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator: old names of arguments are taken for the new ones, with a warning.

    Args:
        name_dict: from the old name to the new one.
        cls_name: in front of the function's name.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        label = f"{cls_name}.{function.__name__}" if cls_name else function.__name__

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            for old, new in name_dict.items():
                if old not in kwargs:
                    continue
                if new in kwargs:
                    raise AssertionError(f"{label} got {old!r} and {new!r}, which are one argument")
                warnings.warn(
                    f"{old!r} of {label} is called {new!r} now", DeprecationWarning, stacklevel=2
                )
                kwargs[new] = kwargs.pop(old)
            return function(*args, **kwargs)

        return call

    return decorate


def deprecated_function(
    since: str, removed_in: str, instructions: str
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator: a call warns that the function goes away, and what to do."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        text = (
            f"{function.__name__} is deprecated since {since} and goes away in {removed_in}; "
            f"{instructions}"
        )

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            warnings.warn(text, DeprecationWarning, stacklevel=2)
            return function(*args, **kwargs)

        call.__doc__ = f".. deprecated:: {since}\n    {text}\n\n{function.__doc__ or ''}"
        return call

    return decorate
