"""Statistics by name, known to all histories of the process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from tk_registry import did_you_mean

from .errors import DuplicateStatisticError, InvalidArgumentError, UnknownStatisticError

_Statistic = TypeVar("_Statistic", bound=Callable[..., Any])

_by_name: dict[str, Callable[..., Any]] = {}


def register(method: _Statistic) -> _Statistic:
    """Make ``method`` known by its ``__name__``; the same function may come again, edited."""
    name = getattr(method, "__name__", None)
    if name is None:
        raise InvalidArgumentError(f"a statistic is a function with a name, got {method!r}")
    known = _by_name.get(name)
    if known is not None and _place(known) != _place(method):
        raise DuplicateStatisticError(
            f"{name!r} is the statistic {'.'.join(_place(known))} already; "
            f"give {'.'.join(_place(method))} another name"
        )
    _by_name[name] = method
    return method


def find(name: str) -> Callable[..., Any]:
    """The statistic called ``name``.

    Raises:
        UnknownStatisticError: there is none.
    """
    if name in _by_name:
        return _by_name[name]
    hint = did_you_mean(name, _by_name, "register it with @HistoryBuffer.register_statistics")
    raise UnknownStatisticError(
        f"no statistic is called {name!r}; known: {', '.join(sorted(_by_name))}; {hint}"
    )


def _place(method: Callable[..., Any]) -> tuple[str, str]:
    return str(getattr(method, "__module__", "")), str(getattr(method, "__qualname__", method))
