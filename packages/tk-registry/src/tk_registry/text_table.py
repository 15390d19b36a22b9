"""Two columns as plain text, for terminals and logs."""

from __future__ import annotations

from collections.abc import Sequence


def text_table(title: str, header: tuple[str, str], rows: Sequence[tuple[str, str]]) -> str:
    """A title, a header and one line a row, the first column padded to one width."""
    width = max(len(row[0]) for row in (header, *rows))
    rule = (("-" * width), "-" * len(header[1]))
    lines = [f"{left.ljust(width)}  {right}".rstrip() for left, right in (header, rule, *rows)]
    return "\n".join([title, *lines])
