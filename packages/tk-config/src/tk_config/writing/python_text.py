"""A tree as Python source that loads back equal, without a formatter.

Short containers stand on one line, long ones get a line for each item. Values that are
no literals are written through the few names of the standard library that the data-only
reader knows as well; functions and classes by their dotted names.
"""

from __future__ import annotations

import datetime
import math
import unicodedata
from collections.abc import Callable, Mapping
from keyword import iskeyword
from pathlib import PurePath
from types import ModuleType
from typing import Any

from ..errors import DumpError
from ..source.templates import ESCAPED, TEMPLATE
from ..tree.config_dict import ConfigDict
from ..tree.draft import DraftDict
from ..tree.frozen import FrozenList
from ..tree.secret import Secret, masked
from .plain_values import dotted_name, plain_value

WIDTH = 88
ITEMS = "_items_"
SPECIAL = frozenset({"_base_", "_items_", "_deprecation_", "datetime", "pathlib", "dict", "float"})
_CALLED = frozenset({"set", "frozenset", "complex", "range", "slice"})
_NAMES = SPECIAL | _CALLED
_DATES = (datetime.date, datetime.time, datetime.timedelta, datetime.timezone)
_INDENT = "    "
MOST_DECIMAL_BITS = 14_000

Unwritable = Callable[[str, Any, str], str]
"""Called with a key path, a value and a reason; gives what is written instead, or raises."""


def python_source(
    tree: Mapping[Any, Any],
    secrets: Mapping[str, str] | None = None,
    unwritable: Unwritable | None = None,
) -> str:
    """Write a tree as Python source, keys sorted.

    Args:
        tree: plain values; lazy ones are written by name.
        secrets: texts that are shown as references.
        unwritable: what to do about values that cannot be written.

    Raises:
        DumpError: a value cannot be written; names its key (unless ``unwritable`` says
            otherwise).
    """
    return _Writer(secrets or {}, unwritable or refuse).top(tree)


def refuse(path: str, value: Any, reason: str) -> str:
    """Raise the error for a value that cannot be written."""
    raise DumpError(f"{path}: {value!r} cannot be written into a config, since {reason}")


def show_unwritable(path: str, value: Any, reason: str) -> str:
    """Write a value that does not load back as the text that shows it."""
    return repr(f"<{type(value).__module__}.{type(value).__qualname__} object>")


class _Writer:
    def __init__(self, secrets: Mapping[str, str], unwritable: Unwritable) -> None:
        self._secrets = secrets
        self._unwritable = unwritable
        self._imports: set[str] = set()

    def top(self, tree: Mapping[Any, Any]) -> str:
        lines, odd = [], {}
        for key, value in _sorted_items(tree):
            if isinstance(value, ModuleType):
                continue
            if not _is_name(key) or key in _NAMES:
                odd[key] = value
                continue
            lines.append(f"{key} = {self.value(value, key, len(key) + 3, 0)}\n")
        if odd:
            lines.append(f"{ITEMS} = {self.value(odd, ITEMS, len(ITEMS) + 3, 0)}\n")
        return "".join([f"import {name}\n" for name in sorted(self._imports)] + lines)

    def value(self, value: Any, path: str, column: int, depth: int) -> str:
        """Write one value.

        Args:
            value: what is written.
            path: its key, for errors.
            column: where on its line it begins.
            depth: how many containers hold it.
        """
        write = _WRITERS.get(value.__class__)
        if write is None:
            return self._other(value, path, column, depth)
        return str(write(self, value, path, column, depth))

    def text(self, value: str, path: str, column: int, depth: int) -> str:
        if self._secrets:
            shown = masked(value, self._secrets)
            if shown != value:
                return repr(shown)
        if "{{" in value and TEMPLATE.search(value):
            value = value.replace("{{", ESCAPED)
        return repr(value)

    def number(self, value: float, path: str, column: int, depth: int) -> str:
        return repr(value) if math.isfinite(value) else f"float('{value}')"

    def plain(self, value: Any, path: str, column: int, depth: int) -> str:
        return repr(value)

    def integer(self, value: int, path: str, column: int, depth: int) -> str:
        # Python writes no more than 4300 decimal digits, and hexadecimal ones at any length
        return repr(value) if value.bit_length() < MOST_DECIMAL_BITS else hex(value)

    def complex(self, value: complex, path: str, column: int, depth: int) -> str:
        real, imaginary = (self.number(part, path, 0, 0) for part in (value.real, value.imag))
        return f"complex({real}, {imaginary})"

    def dict(self, value: Mapping[Any, Any], path: str, column: int, depth: int) -> str:
        items = [(k, v) for k, v in _sorted_items(value) if not isinstance(v, ModuleType)]
        if all(_is_name(key) for key, _ in items):
            opening, closing = "dict(", ")"
            heads = [f"{key}=" for key, _ in items]
        else:
            opening, closing = "{", "}"
            heads = [f"{self.value(key, path, 0, 0)}: " for key, _ in items]
        inner = depth + 1
        start = len(_INDENT) * inner
        parts = [
            head + self.value(item, f"{path}.{key}", start + len(head), inner)
            for head, (key, item) in zip(heads, items)  # noqa: B905  # equal by construction
        ]
        return _laid_out(opening, parts, closing, column, depth)

    def sequence(self, value: Any, path: str, column: int, depth: int) -> str:
        is_tuple = value.__class__ is tuple
        items = [item for item in value if not isinstance(item, ModuleType)]
        start = len(_INDENT) * (depth + 1)
        parts = [
            self.value(item, f"{path}.{index}", start, depth + 1)
            for index, item in enumerate(items)
        ]
        if is_tuple and len(parts) == 1 and "\n" not in parts[0]:
            return f"({parts[0]},)"
        opening, closing = ("(", ")") if is_tuple else ("[", "]")
        return _laid_out(opening, parts, closing, column, depth)

    def set(self, value: Any, path: str, column: int, depth: int) -> str:
        parts = sorted(self.value(item, path, column, depth + 1) for item in value)
        inside = _laid_out("{", parts, "}", column, depth) if parts else ""
        if value.__class__ is frozenset:
            return f"frozenset({inside})"
        return inside or "set()"

    def range(self, value: range, path: str, column: int, depth: int) -> str:
        return repr(value)

    def slice(self, value: slice, path: str, column: int, depth: int) -> str:
        parts = [self.value(v, path, 0, depth) for v in (value.start, value.stop, value.step)]
        return f"slice({', '.join(parts)})"

    def _other(self, value: Any, path: str, column: int, depth: int) -> str:
        plain = plain_value(value)
        if plain is not value:
            return self.value(plain, path, column, depth)
        if isinstance(value, PurePath):
            self._imports.add("pathlib")
            kind = type(value).__name__
            name = "Path" if kind in ("PosixPath", "WindowsPath") else kind
            return f"pathlib.{name}({self.text(str(value), path, 0, 0)})"
        if isinstance(value, _DATES):
            zone = getattr(value, "tzinfo", None)
            if zone is None or zone.__class__ is datetime.timezone:
                self._imports.add("datetime")
                return repr(value)
            reason = "its time zone has no literal; use datetime.timezone"
            return self._unwritable(path, value, reason)
        try:
            return repr(dotted_name(value))
        except DumpError as error:
            return self._unwritable(path, value, str(error))


def _laid_out(opening: str, parts: list[str], closing: str, column: int, depth: int) -> str:
    length = column + len(opening) + len(closing) + sum(map(len, parts)) + 2 * len(parts)
    if length <= WIDTH and not any("\n" in part for part in parts):
        return f"{opening}{', '.join(parts)}{closing}"
    inner = "\n" + _INDENT * (depth + 1)
    return f"{opening}{inner}{f',{inner}'.join(parts)},\n{_INDENT * depth}{closing}"


def _sorted_items(value: Mapping[Any, Any]) -> list[tuple[Any, Any]]:
    raw = dict.items(value) if isinstance(value, dict) else value.items()
    return sorted(raw, key=lambda item: str(item[0]))


def _is_name(key: Any) -> bool:
    if key.__class__ is not str or not key.isidentifier() or iskeyword(key):
        return False
    if key.startswith("__"):
        return False  # refused by the data-only reader, and no key at the top level
    return key.isascii() or unicodedata.normalize("NFKC", key) == key  # as Python reads names


def _writers() -> dict[type, Any]:
    made: dict[type, Any] = dict.fromkeys((bool, bytes, type(None)), _Writer.plain)
    made[int] = _Writer.integer
    made[type(...)] = lambda *args: "..."
    made.update({str: _Writer.text, Secret: _Writer.text, float: _Writer.number})
    made.update({complex: _Writer.complex, range: _Writer.range, slice: _Writer.slice})
    made.update(dict.fromkeys((list, tuple, FrozenList), _Writer.sequence))
    made.update(dict.fromkeys((set, frozenset), _Writer.set))
    nodes = (dict, ConfigDict, DraftDict)
    made.update(dict.fromkeys(nodes, _Writer.dict))
    return made


_WRITERS = _writers()
