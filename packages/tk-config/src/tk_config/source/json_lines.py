"""The lines of the values of a JSON text, which must be valid JSON."""

from __future__ import annotations

import json
import re
from typing import Any

from .lines import Lines, RefusedTextError

_TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|[{}\[\]:,]|\n|[^\s{}\[\]:,"]+')


def json_lines(text: str) -> Lines:
    """Find the line of each value.

    Raises:
        RefusedTextError: an object holds the same key twice.
    """
    line = 1
    stack: list[Lines] = []
    key: str | None = None
    key_line = 1
    lines = Lines(1)
    previous = ""
    for match in _TOKEN.finditer(text):
        symbol = match[0]
        if symbol == "\n":
            line += 1
            continue
        if symbol == ":":
            key = json.loads(previous)
        elif symbol in ("}", "]"):
            lines = stack.pop()
        elif symbol != ",":
            inner: Any = {} if symbol == "{" else [] if symbol == "[" else None
            holder = stack[-1].inner if stack else None
            if isinstance(holder, list):
                holder.append(Lines(line, inner))
            elif isinstance(holder, dict) and key is not None:
                if key in holder:
                    raise RefusedTextError(key_line, _repeated(key, holder[key].line))
                holder[key] = Lines(key_line, inner)
                key = None
            if inner is not None:
                stack.append(Lines(line, inner))
            key_line = line
        previous = symbol
    return lines


def _repeated(key: str, line: int) -> str:
    return f"the key {key[:60]!r} is given twice, first in line {line}; keep one of them"
