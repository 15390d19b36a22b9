"""The known name that somebody probably meant."""

from __future__ import annotations

from collections.abc import Iterable


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name closest to ``name``, also when only the case differs, or ``None``."""
    names = sorted(set(known))
    for other in names:
        if other.lower() == name.lower():
            return other
    import difflib  # 3 ms with what it loads, and only errors need it

    close = difflib.get_close_matches(name, names, n=1)
    return close[0] if close else None


def listing(names: Iterable[str], limit: int = 12) -> str:
    """The sorted names in one line; of a long list the first ``limit`` and how many more."""
    ordered = sorted(set(names))
    if not ordered:
        return "(none)"
    more = f", and {len(ordered) - limit} more" if len(ordered) > limit else ""
    return ", ".join(ordered[:limit]) + more
