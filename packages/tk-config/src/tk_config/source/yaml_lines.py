"""The lines of the values of a YAML text, found in its events before it is loaded.

Loading multiplies what is merged by ``<<`` or shared by aliases, and computes numbers;
what would cost far more than its length is refused here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..tree.finish import TooManyValuesError
from .lines import Lines, RefusedTextError

_LONGEST_NUMBER = 1000  # 1:59:59:... with n parts takes n * n steps
_LONG_KEY = 19  # digits: integers above 2**61 may be chosen so that their hashes are equal
_MOST_LONG_KEYS = 1000


def yaml_lines(text: str, most_values: int) -> Lines:
    """Find the line of each value.

    Args:
        text: a YAML document.
        most_values: bound on the number of values, shared ones counted each time.

    Raises:
        TooManyValuesError: there are more.
        RefusedTextError: a number, or the integer keys of a mapping, would take too long.
    """
    import yaml  # 17 ms, and only YAML needs it

    try:
        return _Events(yaml, text, most_values).document()
    except yaml.YAMLError:
        return Lines(1)  # the loader says what is wrong


class _Events:
    def __init__(self, yaml: Any, text: str, most_values: int) -> None:
        self._yaml = yaml
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
            anchored = self._anchors.get(event.anchor, Lines(line))
            keys = anchored.inner if isinstance(anchored.inner, dict) else None
            return Lines(line, keys, anchored.weight)  # not of lists: nested ones would multiply
        if isinstance(event, self._yaml.SequenceStartEvent):
            lines = self._sequence(line)
        elif isinstance(event, self._yaml.MappingStartEvent):
            lines = self._mapping(line)
        else:
            lines = self._scalar(event, line)
        if lines.weight > self._most:
            raise TooManyValuesError
        if getattr(event, "anchor", None):
            self._anchors[event.anchor] = lines
        return lines

    def _scalar(self, event: Any, line: int) -> Lines:
        if len(event.value) > _LONGEST_NUMBER and _is_number_like(event):
            raise RefusedTextError(
                line, f"a number of more than {_LONGEST_NUMBER} characters; quote it if it is text"
            )
        return Lines(line)

    def _sequence(self, line: int) -> Lines:
        items = []
        while not isinstance(event := next(self._events), self._yaml.SequenceEndEvent):
            items.append(self._value(event))
        return Lines(line, items, 1 + sum(item.weight for item in items))

    def _mapping(self, line: int) -> Lines:
        keys: dict[str, Any] = {}
        weight, long_keys = 1, 0
        while not isinstance(event := next(self._events), self._yaml.MappingEndEvent):
            key_line = event.start_mark.line + 1
            key = self._value(event)
            name = getattr(event, "value", None)
            value = self._value(next(self._events))
            weight += key.weight + value.weight
            if name == "<<" and isinstance(value.inner, dict):
                keys = {**value.inner, **keys}
            elif name is not None:
                keys[name] = Lines(key_line, value.inner, value.weight)
                long_keys += len(name) >= _LONG_KEY and _is_number_like(event)
        if long_keys > _MOST_LONG_KEYS:
            raise RefusedTextError(
                line, f"a mapping with more than {_MOST_LONG_KEYS} long integers as keys"
            )
        return Lines(line, keys, weight)


def _is_number_like(scalar: Any) -> bool:
    """Tell whether a scalar may be read as a number: unquoted, and of a number's characters."""
    text = scalar.value
    is_plain = scalar.implicit[0] or scalar.tag is not None
    return (
        is_plain
        and text[0] in "+-.0123456789"
        and not text[1:].strip("0123456789abcdefABCDEFxo_:.+-")
    )
