"""Numbers and tables as text."""

from __future__ import annotations

from collections.abc import Sequence

_UNITS = ((10**15, "P"), (10**12, "T"), (10**9, "G"), (10**6, "M"), (10**3, "K"))


def short(number: int) -> str:
    """A count with at most three digits behind the point: ``11.69M``."""
    for size, unit in _UNITS:
        if number >= size:
            return f"{number / size:.4g}{unit}"
    return str(number)


def as_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns under a head, for a terminal or a text file."""
    widths = [max(len(row[place]) for row in [head, *rows]) for place in range(len(head))]
    lines = [head, ["-" * width for width in widths], *rows]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )
