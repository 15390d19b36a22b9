"""In which order hooks run: a small number runs first; names for the usual ones."""

from __future__ import annotations

from enum import Enum

from tk_registry import did_you_mean

from ..errors import InvalidSettingsError


class Priority(Enum):
    """The named priorities; any whole number from 0 to 100 is one as well."""

    HIGHEST = 0
    VERY_HIGH = 10
    HIGH = 30
    ABOVE_NORMAL = 40
    NORMAL = 50
    BELOW_NORMAL = 60
    LOW = 70
    VERY_LOW = 90
    LOWEST = 100


def get_priority(priority: int | str | Priority) -> int:
    """The number behind a priority, whichever way it was given.

    Raises:
        InvalidSettingsError: a number outside 0 to 100, or a name that is none.
        TypeError: neither a number, a name nor a `Priority`.
    """
    if isinstance(priority, Priority):
        return priority.value
    if isinstance(priority, bool) or not isinstance(priority, (int, str)):
        raise TypeError(f"a priority is a number, a name or a Priority, not {priority!r}")
    if isinstance(priority, int):
        if not 0 <= priority <= 100:
            raise InvalidSettingsError(f"priority {priority} is outside 0 (first) to 100 (last)")
        return priority
    try:
        return Priority[priority.upper()].value
    except KeyError:
        names = [member.name for member in Priority]
        hint = did_you_mean(priority.upper(), names)
        raise InvalidSettingsError(f"no priority is called {priority!r}; {hint}") from None
