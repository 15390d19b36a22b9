"""What to suggest for a name that does not exist: the known name that was probably meant."""

from __future__ import annotations

from collections.abc import Callable, Iterable

_LONGEST = 100  # characters; comparing is quadratic, and a longer text is not a mistyped name
_MOST = 500  # names that are compared fully: about 0.1 s at worst
_LISTED = 20


def did_you_mean(
    name: object,
    known: Iterable[object],
    otherwise: str | None = None,
    *,
    cutoff: float = 0.6,
    shown: Callable[[str], str] = repr,
) -> str:
    """``did you mean 'SGD'?``, or ``otherwise`` where no known name is near.

    The name itself is never suggested. One that differs only in upper and lower case
    is nearer than any other.

    Args:
        name: what was written.
        known: the names that exist; what is not a str is left out.
        otherwise: the text where no name is near; ``None`` lists the known names.
        cutoff: how near a name must be, from 0 (any) to 1 (equal).
        shown: turns the suggested name into the text that is shown.
    """
    names = sorted({other for other in known if isinstance(other, str)})
    close = _nearest(str(name), names, cutoff)
    if close is not None:
        return f"did you mean {shown(close)}?"
    return f"known: {listing(names)}" if otherwise is None else otherwise


def listing(names: Iterable[str]) -> str:
    """The sorted names in one line; of a long list the first ones and how many more."""
    ordered = sorted(set(names))
    if not ordered:
        return "(none)"
    more = f", and {len(ordered) - _LISTED} more" if len(ordered) > _LISTED else ""
    return ", ".join(ordered[:_LISTED]) + more


def _nearest(name: str, names: list[str], cutoff: float) -> str | None:
    if not 0 < len(name) <= _LONGEST:
        return None
    names = [other for other in names if other != name and len(other) <= _LONGEST]
    folded = name.casefold()
    for other in names:
        if other.casefold() == folded:
            return other
    if len(names) > _MOST:
        names.sort(key=lambda other: _shared_ends(name, other), reverse=True)
        del names[_MOST:]
    import difflib  # 3 ms with what it loads, and only errors need it

    close = difflib.get_close_matches(name, names, n=1, cutoff=cutoff)
    return close[0] if close else None


def _shared_ends(name: str, other: str) -> int:
    """How many characters both begin with, and how many both end with."""
    return _shared_beginning(name, other) + _shared_beginning(name[::-1], other[::-1])


def _shared_beginning(name: str, other: str) -> int:
    for position, (left, right) in enumerate(zip(name, other, strict=False)):
        if left != right:
            return position
    return min(len(name), len(other))
