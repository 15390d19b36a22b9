"""A tree as JSON or YAML: tuples become lists, the rest must load back equal."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from types import ModuleType
from typing import Any

from tk_fileio import dump

from ..errors import ConfigFormatError, DumpError
from ..source.templates import ESCAPED, TEMPLATE
from ..tree.secret import Secret, masked
from .plain_values import dotted_name, plain_value
from .python_text import MOST_DECIMAL_BITS

_ATOMS = frozenset({int, float, bool, type(None)})


def data_text(tree: Mapping[Any, Any], suffix: str, secrets: Mapping[str, str]) -> str:
    """Write a tree as ``".json"`` or ``".yaml"``.

    Raises:
        DumpError: a value or key cannot be written in that format; names its key.
        ConfigFormatError: the format is TOML, which is only read.
    """
    if suffix == ".toml":
        raise ConfigFormatError("TOML is only read, not written; dump to .py, .yaml or .json")
    plain = _Plain(suffix, secrets).value(tree, "")
    options: dict[str, Any] = {} if suffix == ".json" else {"sort_keys": False}
    return str(dump(plain, file_format=suffix[1:], **options))


class _Plain:
    def __init__(self, suffix: str, secrets: Mapping[str, str]) -> None:
        self._suffix = suffix
        self._secrets = secrets

    def value(self, value: Any, path: str) -> Any:
        value = plain_value(value)
        kind = value.__class__
        if kind is int and value.bit_length() >= MOST_DECIMAL_BITS:
            raise DumpError(
                f"{path}: an integer of more than 4000 digits can only be dumped to .py"
            )
        if kind in _ATOMS:
            return value
        if kind is str or kind is Secret:
            return self._text(value)
        if isinstance(value, dict):
            return {
                self._key(key, path): self.value(item, f"{path}.{key}" if path else str(key))
                for key, item in dict.items(value)
                if not isinstance(item, ModuleType)
            }
        if isinstance(value, (list, tuple)):
            return [
                self.value(item, f"{path}.{index}")
                for index, item in enumerate(value)
                if not isinstance(item, ModuleType)
            ]
        if isinstance(value, PurePath):
            return self._text(str(value))
        if (
            self._suffix == ".yaml"
            and type(value).__module__ == "datetime"
            and _is_yaml_date(value)
        ):
            return value
        try:
            return dotted_name(value)
        except DumpError as error:
            raise DumpError(
                f"{path}: {value!r} cannot be written as {self._suffix[1:].upper()}, since {error}"
            ) from None

    def _text(self, value: str) -> str:
        shown = masked(value, self._secrets)
        if shown == value and "{{" in value and TEMPLATE.search(value):
            return value.replace("{{", ESCAPED)
        return shown

    def _key(self, key: Any, path: str) -> Any:
        key = plain_value(key)
        if key.__class__ is str:
            return self._text(key)
        if self._suffix == ".json" or key.__class__ not in _ATOMS:
            raise DumpError(
                f"{path or 'the config'}: the key {key!r} cannot be written as "
                f"{self._suffix[1:].upper()}; use a string key, or dump to .py"
            )
        return key


def _is_yaml_date(value: Any) -> bool:
    return type(value).__name__ in ("date", "datetime") and getattr(value, "tzinfo", None) is None
