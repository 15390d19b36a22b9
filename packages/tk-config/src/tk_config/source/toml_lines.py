"""The lines of the keys of a TOML text, found by its tokens."""

from __future__ import annotations

import re
from typing import Any

from .lines import Lines, RefusedTextError

MOST_PARTS = 100
"""Of a dotted key; the time to read one grows with the square of its parts."""

_TOKEN = re.compile(
    r'"""(?:\\.|[^\\])*?"""|' + r"'''.*?'''|" + r'"(?:\\.|[^"\\\n])*"|'
    r"'[^'\n]*'|\#[^\n]*|[\w+-]+|\n|[^\s]",
    re.DOTALL,
)
_ENDS_OF_KEY = frozenset("=,[]{}\n")


def check_dotted_keys(text: str) -> None:
    """Refuse dotted keys of very many parts, before the text is parsed.

    Raises:
        RefusedTextError: there is one.
    """
    if text.count(".") < MOST_PARTS:
        return
    line, dots = 1, 0
    for match in _TOKEN.finditer(text):
        symbol = match[0]
        if symbol == ".":
            dots += 1
            if dots >= MOST_PARTS:
                raise RefusedTextError(line, f"a dotted key of more than {MOST_PARTS} parts")
        elif symbol in _ENDS_OF_KEY:
            dots = 0
        line += symbol.count("\n")


def toml_lines(text: str) -> Lines:
    """Find the line of each key that stands outside inline tables and lists."""
    root: dict[str, Any] = {}
    table = root
    words: list[str] = []  # the key, or the name in a header, that is being read
    in_value = in_header = False
    depth = 0
    line = 1
    for match in _TOKEN.finditer(text):
        symbol = match[0]
        if symbol == "\n":
            if in_header and words:
                table = _table(root, words, line, is_array=depth > 1)
            if in_header or depth == 0:
                words, in_value, in_header, depth = [], False, False, 0
        elif symbol[0] == "#":
            pass
        elif in_value:
            depth += (symbol in "[{") - (symbol in "]}")
        elif symbol == "[" and not words:
            in_header = True
            depth += 1
        elif symbol == "=" and not in_header:
            holder = table
            for part in words[:-1]:
                holder = _step(holder, part, line)
            if words:
                holder[words[-1]] = Lines(line)
            in_value = True
        elif symbol not in ".]":
            words.append(symbol.strip("\"'"))
        line += symbol.count("\n")
    if in_header and words:
        _table(root, words, line, is_array=depth > 1)
    return Lines(1, root)


def _step(holder: dict[str, Any], part: str, line: int) -> dict[str, Any]:
    inner = holder.setdefault(part, Lines(line, {})).inner
    if isinstance(inner, list):
        inner = inner[-1].inner
    return inner if isinstance(inner, dict) else {}


def _table(root: dict[str, Any], words: list[str], line: int, *, is_array: bool) -> dict[str, Any]:
    *parents, last = words
    holder = root
    for part in parents:
        holder = _step(holder, part, line)
    if not is_array:
        return _step(holder, last, line)
    table: dict[str, Any] = {}
    array = holder.setdefault(last, Lines(line, []))
    if isinstance(array.inner, list):
        array.inner.append(Lines(line, table))
    return table
