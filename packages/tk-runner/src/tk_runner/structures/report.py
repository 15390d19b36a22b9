"""The text of a data element: two titled sections, nested elements indented."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from typing import Any


def element_report(
    element: object, metainfo: Iterable[tuple[str, Any]], data: Iterable[tuple[str, Any]]
) -> str:
    """What ``repr`` shows of a data element."""
    sections = [_section("META INFORMATION", metainfo), _section("DATA FIELDS", data)]
    body = textwrap.indent("\n\n".join(sections), "    ")
    return f"<{type(element).__name__}(\n\n{body}\n) at {id(element):#x}>"


def _section(title: str, fields: Iterable[tuple[str, Any]]) -> str:
    return "\n".join([title, *(f"{name}: {_value(value)}" for name, value in fields)])


def _value(value: Any) -> str:
    text = repr(value)
    first, newline, rest = text.partition("\n")
    return first + newline + textwrap.indent(rest, "    ")
