"""Values written on a command line: Python literals, and plain words where quotes are tiresome.

``1``, ``1e-3``, ``true``, ``None``, ``'quoted'``, ``a,b`` and ``[a, b]`` (lists), ``(a, b)``
(a tuple), ``{a: 1}`` (a dict), nested at will; anything else is text as it stands.
"""

from __future__ import annotations

import re
from typing import Any

_WORDS: dict[str, Any] = {"true": True, "false": False, "none": None, "null": None}
# A number with a leading zero, such as fold=01, is a name, not a number.
_NUMBER_LIKE = re.compile(r"(?!\+?-?0\d+$)(?:[-+.0-9]|(?:inf|nan)$)", re.IGNORECASE)
_CLOSING = {"[": "]", "(": ")", "{": "}"}


def read_value(text: str) -> Any:
    """Give the value that a text on the command line stands for.

    Raises:
        ValueError: brackets or quotes do not match; shows the text.
    """
    text = text.strip()
    parts = _split(text, ",")
    if len(parts) > 1 and not _is_sentence(text):
        return [read_value(part) for part in _without_empty_end(parts)]
    if text[:1] in _CLOSING:
        return _bracketed(text)
    return _scalar(text)


def _bracketed(text: str) -> Any:
    if text[-1] != _CLOSING[text[0]]:
        return text  # such as "(a) and b": a text that begins with a bracket
    inner = text[1:-1].strip()
    parts = _without_empty_end(_split(inner, ",")) if inner else []
    if text[0] == "{":
        pairs = [_split(part, ":", most=1) for part in parts]
        if any(len(pair) != 2 for pair in pairs):
            return text
        return {_key(key): read_value(value) for key, value in pairs}
    values = [read_value(part) for part in parts]
    return tuple(values) if text[0] == "(" else values


def _scalar(text: str) -> Any:
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "'\""
    if quoted and text[1:2] in _CLOSING and text[-2] == _CLOSING[text[1]]:
        return read_value(text[1:-1])  # a list that was quoted once too often
    if quoted or _NUMBER_LIKE.match(text):
        return _literal(text, quoted=quoted)
    return text


def _literal(text: str, *, quoted: bool) -> Any:
    import ast  # 5 ms, and needed only for values that may be literals

    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        pass
    try:
        return text[1:-1] if quoted else float(text)
    except ValueError:
        return text


def _key(text: str) -> Any:
    value = _scalar(text.strip())
    return value if isinstance(value, (str, int)) else text.strip()


def _is_sentence(text: str) -> bool:
    """Whether commas are punctuation: outside brackets and followed by a blank."""
    return text[:1] not in "[({'\"" and ", " in text and " " in text.replace(", ", ",")


def _without_empty_end(parts: list[str]) -> list[str]:
    return parts[:-1] if len(parts) > 1 and not parts[-1].strip() else parts


def _split(text: str, mark: str, most: int = -1) -> list[str]:
    """Split at marks that stand outside brackets and quotes."""
    parts, start, stack, quote = [], 0, [], ""  # type: tuple[list[str], int, list[str], str]
    for index, letter in enumerate(text):
        if quote:
            quote = "" if letter == quote and text[index - 1] != "\\" else quote
        elif letter in "'\"" and (index == 0 or text[index - 1] in " ,[({:="):
            quote = letter
        elif letter in _CLOSING:
            stack.append(_CLOSING[letter])
        elif letter in "])}":
            if not stack or stack.pop() != letter:
                raise _unbalanced(text)
        elif letter == mark and not stack and len(parts) != most:
            parts.append(text[start:index])
            start = index + 1
    if stack:
        raise _unbalanced(text)
    return [*parts, text[start:]]


def _unbalanced(text: str) -> ValueError:
    return ValueError(
        f"the brackets in {text!r} do not match; close each one, or quote the text if it is no list"
    )
