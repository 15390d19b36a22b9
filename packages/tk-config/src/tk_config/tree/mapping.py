"""The mapping half of ``Config``: keys and attributes are those of its tree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from typing import Any

from ..errors import ReservedKeyError
from .config_dict import OWN_NAMES, ConfigDict, MissingAttributeError
from .placeholders import LAZY_TYPES

RESERVED_KEYS = ("filename", "text", "pretty_text", "env_variables")


class TreeMapping:
    """A mapping with attribute access over a tree; ``Config`` adds files and texts to it."""

    _cfg_dict: ConfigDict
    _imported: dict[str, Any]

    def __getattr__(self, name: str) -> Any:
        if name == "_cfg_dict":  # a Config that is still being made has none yet
            raise AttributeError(name)
        tree = self._cfg_dict
        if name not in OWN_NAMES:
            value = dict.get(tree, name, self)
            if value is not self:
                return value.build() if value.__class__ in LAZY_TYPES else value
        try:
            return getattr(tree, name)
        except MissingAttributeError:
            imported = self._imported.get(name)
            if imported is None:
                raise
            return tree.build_lazy(imported)

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "filename":
            object.__setattr__(self, name, value)
        elif hasattr(type(self), name):
            raise AttributeError(
                f"{name!r} is a property or method of Config and cannot be a key; "
                "choose another name, or set it below the top level"
            )
        else:
            setattr(self._cfg_dict, name, value)

    def __getitem__(self, key: Any) -> Any:
        return self._cfg_dict[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        if key in RESERVED_KEYS:
            refuse_reserved({key: value})
        self._cfg_dict[key] = value

    def __delitem__(self, key: Any) -> None:
        del self._cfg_dict[key]

    def __delattr__(self, name: str) -> None:
        delattr(self._cfg_dict, name)

    def __contains__(self, key: object) -> bool:
        return key in self._cfg_dict

    def __len__(self) -> int:
        return len(self._cfg_dict)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._cfg_dict)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, TreeMapping):
            return self._cfg_dict == other._cfg_dict
        if isinstance(other, Mapping):
            return self._cfg_dict == other
        return NotImplemented

    __hash__ = None  # type: ignore[assignment]  # it can change

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(key for key in self._cfg_dict if isinstance(key, str))]


MutableMapping.register(TreeMapping)


def refuse_reserved(tree: Mapping[Any, Any]) -> None:
    """Refuse top-level keys that are names of properties of ``Config``.

    Raises:
        ReservedKeyError: there is one.
    """
    for key in RESERVED_KEYS:
        if key in tree:
            raise ReservedKeyError(
                f"the top-level key {key!r} is reserved for a property of Config; rename it"
            )
