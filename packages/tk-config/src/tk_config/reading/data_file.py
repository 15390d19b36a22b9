"""YAML, JSON and TOML files as drafts that know the line of each key.

tk_fileio reads the values; ``source/`` finds the lines by a second, cheap look at the
text. Where a line cannot be told (an inline table, a merged YAML key), that of the parent
stands.
"""

from __future__ import annotations

import io
from collections.abc import Generator
from typing import Any

from tk_fileio import FileIOError, ParseError, load

from ..errors import ConfigParsingError, ConfigSyntaxError, DuplicateKeyError, MissingKeyError
from ..source.json_lines import json_lines
from ..source.lines import Lines, RefusedTextError
from ..source.templates import Templates
from ..source.toml_lines import check_dotted_keys, toml_lines
from ..source.yaml_lines import yaml_lines
from ..tree.draft import DraftDict, inherited_copy
from ..tree.finish import TooManyValuesError, too_many_values
from ..tree.node import set_state
from ..tree.origin_table import Line, OriginTable
from ..tree.paths import value_at
from .inherit import BASE, BaseRequest, FileValues, Inherited
from .source_file import SourceFile


def read_data(
    source: SourceFile, templates: Templates
) -> Generator[BaseRequest, Inherited, FileValues]:
    """Read a data file: asks for the bases that it names and gives its values.

    Raises:
        ConfigSyntaxError: the text is not of its format; names file and line.
        ConfigParsingError: the file holds no table of keys.
    """
    named = _named_bases(source)
    if named is not None:
        names = named if isinstance(named, list) else [named]
        bases = [templates.text(name) if isinstance(name, str) else name for name in names]
        inherited = yield BaseRequest(bases, source.shown)
        templates.base_value = lambda path: inherited_copy(value_at(inherited.tree, path))
    else:
        templates.base_value = _no_base
    value = _parsed(source)
    try:
        lines = _lines(source)
        tree = _Builder(source, templates).dict(value, lines)
    except RefusedTextError as error:
        raise DuplicateKeyError(f"{source.shown}:{error.line}: {error}") from None
    except (TooManyValuesError, RecursionError):
        raise too_many_values(source.shown, source.most_values) from None
    dict.pop(tree, BASE, None)
    return FileValues(tree)


def _no_base(path: str) -> Any:
    raise MissingKeyError(f"{path!r} has no base to come from; name one in _base_")


def _named_bases(source: SourceFile) -> Any:
    """Give what ``_base_`` holds, read before anything refers to it."""
    if BASE not in source.code:
        return None
    try:
        return _parsed(source).get(BASE)
    except ConfigParsingError:
        return None  # reported with its line when the values are read


def _parsed(source: SourceFile) -> dict[Any, Any]:
    """Parse the text once, whatever asks for it."""
    if source.parsed is None:
        source.parsed = _parse(source)
    return source.parsed


def _parse(source: SourceFile) -> dict[Any, Any]:
    shown = source.shown
    try:
        if source.suffix == ".yaml":
            source.lines = yaml_lines(source.code, source.most_values)
        elif source.suffix == ".toml":
            check_dotted_keys(source.code)
        value = load(io.StringIO(source.code), file_format=source.suffix[1:])
    except TooManyValuesError:
        raise too_many_values(shown, source.most_values) from None
    except RefusedTextError as error:
        raise ConfigSyntaxError(f"{shown}:{error.line}: {error}") from None
    except ParseError as error:
        place = ":".join(str(part) for part in (shown, error.line, error.column) if part)
        raise ConfigSyntaxError(f"{place}: {error.reason}; correct the file") from error
    except RecursionError:
        raise too_many_values(shown, source.most_values) from None
    except (FileIOError, ValueError) as error:
        raise ConfigSyntaxError(f"{shown}: {error}; correct the file") from error
    except (ArithmeticError, AttributeError, LookupError, TypeError) as error:
        raise ConfigSyntaxError(  # of the parser: a value does not fit its tag, for example
            f"{shown}: cannot be read as {source.suffix[1:].upper()} ({type(error).__name__}: "
            f"{error}); correct the file"
        ) from error
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ConfigParsingError(
            f"{shown}: a config holds keys and values, but this file holds "
            f"a {type(value).__name__}; write a mapping at its top level"
        )
    return value


def _lines(source: SourceFile) -> Lines:
    if source.suffix == ".yaml":
        return source.lines or Lines(1)
    return json_lines(source.code) if source.suffix == ".json" else toml_lines(source.code)


class _Builder:
    def __init__(self, source: SourceFile, templates: Templates) -> None:
        self._path = source.path
        self._templates = templates
        self._left = source.most_values

    def dict(self, value: dict[Any, Any], lines: Lines) -> DraftDict:
        node = DraftDict.__new__(DraftDict)
        inner = lines.inner if isinstance(lines.inner, dict) else {}
        written: dict[Any, Line] = {}
        for key, item in value.items():
            at = inner.get(str(key)) or Lines(lines.line)
            if isinstance(key, str) and "{{" in key:
                key = self._templates.text(key, at.line)
            items = _item_lines(at)
            written[key] = at.line if items is None else (at.line, items)
            dict.__setitem__(node, key, self.value(item, at))
        set_state(node, "_tk_origins", OriginTable(self._path, lines.line, written))
        return node

    def value(self, value: Any, lines: Lines) -> Any:
        kind = value.__class__
        self._left -= 1
        if self._left < 0:
            raise TooManyValuesError
        if kind is str:
            return self._templates.text(value, lines.line)
        if kind is dict:
            return self.dict(value, lines)
        if kind is list:
            inner = lines.inner
            if not isinstance(inner, list) or len(inner) != len(value):
                inner = [Lines(lines.line)] * len(value)
            return [self.value(item, at) for item, at in zip(value, inner)]  # noqa: B905
        return value


def _item_lines(lines: Lines) -> tuple[Any, ...] | None:
    if not isinstance(lines.inner, list):
        return None
    return tuple(
        (item.line, inner) if (inner := _item_lines(item)) else item.line for item in lines.inner
    )
