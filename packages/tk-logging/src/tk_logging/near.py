"""What somebody may have meant who wrote a name that nothing has."""

from __future__ import annotations

from collections.abc import Iterable


def meant(name: object, known: Iterable[str], otherwise: str) -> str:
    """``did you mean 'loss'?``, or the way out where no known name is near."""
    import difflib  # 5 ms, and only for an error

    near = difflib.get_close_matches(str(name), list(known), n=1)
    return f"did you mean {near[0]!r}?" if near else otherwise
