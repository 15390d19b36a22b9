"""YAML, JSON and TOML files as nodes that know the line of each key.

tk_fileio reads the values; the lines are found by a second, cheap look at the text. Where
a line cannot be told (an inline table, a merged YAML key), that of the parent stands.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from tk_fileio import FileIOError, ParseError, load

from ..config_dict import LiteralDict
from ..errors import ConfigParsingError, ConfigSyntaxError
from ..node import WHOLE_NODE
from ..origin import FILE, Origin, make_origin
from ..tree import MOST_VALUES, TooManyValuesError, too_many_values
from .templates import Templates


class Lines(NamedTuple):
    """The line of a value, and of what it holds: by key as text, or by position."""

    line: int
    inner: dict[str, Any] | list[Any] | None = None
    weight: int = 1
    """Number of values, shared ones counted each time."""


def read_data(
    text: str,
    suffix: str,
    path: str,
    shown: str,
    templates: Templates,
    most_values: int = MOST_VALUES,
) -> LiteralDict:
    """Read the source of a data file as the nodes of a config.

    Args:
        text: source in which bare templates have been replaced by tokens.
        suffix: ``".json"``, ``".yaml"`` or ``".toml"``.
        path: file name that origins carry.
        shown: file name for errors.
        templates: gives the values of templates.
        most_values: bound on the number of values, shared ones counted each time.

    Raises:
        ConfigSyntaxError: the text is not of that format; names file and line.
        ConfigParsingError: the file holds no table of keys.
    """
    try:
        lines = _yaml_lines(text, most_values) if suffix == ".yaml" else Lines(1)
        value = load(io.StringIO(text), file_format=suffix[1:])
    except TooManyValuesError:
        raise too_many_values(shown, most_values) from None
    except ParseError as error:
        place = ":".join(str(part) for part in (shown, error.line, error.column) if part)
        raise ConfigSyntaxError(f"{place}: {error.reason}; correct the file") from error
    except (FileIOError, ValueError, RecursionError) as error:
        raise ConfigSyntaxError(f"{shown}: {error}; correct the file") from error
    if value is None:
        value = {}
    if not isinstance(value, dict):
        raise ConfigParsingError(
            f"{shown}: a config holds keys and values, but this file holds "
            f"a {type(value).__name__}; write a mapping at its top level"
        )
    if suffix != ".yaml":
        lines = _json_lines(text) if suffix == ".json" else _toml_lines(text)
    try:
        return _Builder(path, templates, most_values).dict(value, lines)
    except (TooManyValuesError, RecursionError):
        raise too_many_values(shown, most_values) from None


class _Builder:
    def __init__(self, path: str, templates: Templates, most_values: int) -> None:
        self._path = path
        self._templates = templates
        self._left = most_values

    def dict(self, value: dict[Any, Any], lines: Lines) -> LiteralDict:
        made = LiteralDict.__new__(LiteralDict)
        inner = lines.inner if isinstance(lines.inner, dict) else {}
        site: dict[Any, Origin] = {WHOLE_NODE: make_origin(FILE, self._path, lines.line)}
        for key, item in value.items():
            at = inner.get(str(key)) or Lines(lines.line)
            if isinstance(key, str) and "{{" in key:
                key = self._templates.text(key, at.line)
            site[key] = make_origin(FILE, self._path, at.line, _item_lines(at))
            dict.__setitem__(made, key, self.value(item, at))
        object.__setattr__(made, "_tk_shared", site)
        return made

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


def _yaml_lines(text: str, most_values: int) -> Lines:
    """Find the lines of YAML before it is loaded, which multiplies what is merged by ``<<``."""
    import yaml  # 17 ms, and only YAML needs it

    try:
        return _YamlLines(text, most_values).document()
    except yaml.YAMLError:
        return Lines(1)  # the loader says what is wrong


class _YamlLines:
    def __init__(self, text: str, most_values: int) -> None:
        import yaml  # is there: see _yaml_lines

        self._yaml: Any = yaml
        self._events: Iterator[Any] = iter(
            yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        )
        self._anchors: dict[str, Lines] = {}
        self._most = most_values

    def document(self) -> Lines:
        for event in self._events:
            if not isinstance(event, (self._yaml.StreamStartEvent, self._yaml.DocumentStartEvent)):
                at_end = isinstance(event, self._yaml.StreamEndEvent)
                return Lines(1) if at_end else self._value(event)
        return Lines(1)

    def _value(self, event: Any) -> Lines:
        line = event.start_mark.line + 1
        if isinstance(event, self._yaml.AliasEvent):
            found = self._anchors.get(event.anchor, Lines(line))
            keys = found.inner if isinstance(found.inner, dict) else None
            return Lines(line, keys, found.weight)  # not of lists: nested ones would multiply
        made = Lines(line)
        if isinstance(event, self._yaml.SequenceStartEvent):
            made = self._sequence(line)
        elif isinstance(event, self._yaml.MappingStartEvent):
            made = self._mapping(line)
        if made.weight > self._most:
            raise TooManyValuesError
        if getattr(event, "anchor", None):
            self._anchors[event.anchor] = made
        return made

    def _sequence(self, line: int) -> Lines:
        items = []
        while not isinstance(event := next(self._events), self._yaml.SequenceEndEvent):
            items.append(self._value(event))
        return Lines(line, items, 1 + sum(item.weight for item in items))

    def _mapping(self, line: int) -> Lines:
        keys: dict[str, Any] = {}
        weight = 1
        while not isinstance(event := next(self._events), self._yaml.MappingEndEvent):
            key_line = event.start_mark.line + 1
            key = self._value(event)
            name = getattr(event, "value", None)
            found = self._value(next(self._events))
            weight += key.weight + found.weight
            if name == "<<" and isinstance(found.inner, dict):
                keys = {**found.inner, **keys}
            elif name is not None:
                keys[name] = Lines(key_line, found.inner, found.weight)
        return Lines(line, keys, weight)


_JSON_TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|[{}\[\]:,]|\n|[^\s{}\[\]:,"]+')


def _json_lines(text: str) -> Lines:
    import json  # only for JSON

    line = 1
    stack: list[Lines] = []
    key: Lines | None = None
    name = ""
    made = Lines(1)
    key_line = 1
    previous = ""
    for match in _JSON_TOKEN.finditer(text):
        token = match[0]
        if token == "\n":  # noqa: S105  # no password
            line += 1
            continue
        if token == ":":  # noqa: S105
            name = json.loads(previous)
            key = Lines(key_line)
        elif token in ("}", "]"):
            made = stack.pop()
        elif token != ",":  # noqa: S105
            inner: Any = {} if token == "{" else [] if token == "[" else None  # noqa: S105
            holder = stack[-1].inner if stack else None
            if isinstance(holder, list):
                holder.append(Lines(line, inner))
            elif isinstance(holder, dict) and key is not None:
                holder[name] = Lines(key.line, inner)
                key = None
            if inner is not None:
                stack.append(Lines(line, inner))
            key_line = line
        previous = token
    return made


_TOML_HEADER = re.compile(r"\s*(\[\[?)\s*(.+?)\s*\]\]?\s*(?:#.*)?$")
_TOML_KEY = re.compile(
    r"""\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*="""
)
_TOML_PART = re.compile(r"""[\w-]+|"[^"]*"|'[^']*'""")


def _toml_lines(text: str) -> Lines:
    root: dict[str, Any] = {}
    table = root
    fence: str | None = None  # the quotes of a multi-line string that is still open
    for line, source in enumerate(text.split("\n"), 1):
        if fence is not None:
            fence = None if source.count(fence) % 2 else fence
            continue
        header = _TOML_HEADER.match(source)
        if header and not _TOML_KEY.match(source):
            table = _toml_table(root, header[2], line, is_array=header[1] == "[[")
            continue
        key = _TOML_KEY.match(source)
        if key:
            *parents, last = [part.strip("\"'") for part in _TOML_PART.findall(key[1])]
            holder = table
            for part in parents:
                holder = _toml_step(holder, part, line)
            holder[last] = Lines(line)
            rest = source[key.end() :]
            fence = next((q for q in ('"""', "'''") if rest.count(q) % 2), None)
    return Lines(1, root)


def _toml_step(holder: dict[str, Any], part: str, line: int) -> dict[str, Any]:
    found = holder.setdefault(part, Lines(line, {})).inner
    if isinstance(found, list):
        found = found[-1].inner
    return found if isinstance(found, dict) else {}


def _toml_table(root: dict[str, Any], name: str, line: int, *, is_array: bool) -> dict[str, Any]:
    *parents, last = [part.strip("\"'") for part in _TOML_PART.findall(name)] or [""]
    holder = root
    for part in parents:
        holder = _toml_step(holder, part, line)
    if is_array:
        made: dict[str, Any] = {}
        array = holder.setdefault(last, Lines(line, []))
        if isinstance(array.inner, list):
            array.inner.append(Lines(line, made))
        return made
    return _toml_step(holder, last, line)
