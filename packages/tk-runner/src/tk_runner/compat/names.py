"""The map from MMEngine's names to those of the tk packages, as read from ``names.toml``."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from tk_fileio import TomlHandler
from tk_registry import did_you_mean

_INSTEAD = "!"


@dataclass(frozen=True)
class Target:
    """Where a name comes from, or what to do instead of using it.

    Attributes:
        module: that has it.
        name: in that module; empty for the module itself.
        instead: what to do, where there is no such thing.
    """

    module: str = ""
    name: str = ""
    instead: str = ""

    @classmethod
    def parse(cls, attribute: str, text: str) -> Target:
        """Read ``module``, ``module:name`` or ``!what to do instead``."""
        if text.startswith(_INSTEAD):
            return cls(instead=text[1:])
        module, _, name = text.partition(":")
        return cls(module, name or attribute)

    def load(self) -> Any:
        """The object itself."""
        return getattr(importlib.import_module(self.module), self.name)


class NameMap:
    """Which module of MMEngine has which names, and where they come from here.

    Args:
        tables: what ``names.toml`` holds.
    """

    def __init__(self, tables: Mapping[str, Any]) -> None:
        self.version: str = tables["version"]
        self._modules: Mapping[str, Mapping[str, str]] = tables["modules"]
        self._also: Mapping[str, list[str]] = tables["also"]
        self._constants: Mapping[str, Mapping[str, Any]] = tables["constants"]

    @classmethod
    def read(cls) -> NameMap:
        """The map of this package."""
        with files(__package__).joinpath("names.toml").open("rb") as file:
            return cls(TomlHandler().load_from_fileobj(file))

    @property
    def modules(self) -> list[str]:
        """Every module that is served."""
        return sorted({*self._modules, *self._also})

    def has_module(self, name: str) -> bool:
        """Whether MMEngine has this module."""
        return name in self._modules or name in self._also

    def is_package(self, name: str) -> bool:
        """Whether other modules lie below this one."""
        return any(other.startswith(f"{name}.") for other in (*self._modules, *self._also))

    def public(self, module: str) -> set[str]:
        """The names of a module, those that it takes over from others included."""
        own = {*self._modules.get(module, ()), *self._constants.get(module, ())}
        return own.union(*(self.public(other) for other in self._also.get(module, ())))

    def target(self, module: str, name: str) -> Target | None:
        """Where a name of a module comes from; None where the module has no such name."""
        text = self._modules.get(module, {}).get(name)
        if text is not None:
            return Target.parse(name, text)
        for other in self._also.get(module, ()):
            if found := self.target(other, name):
                return found
        return None

    def constants(self, module: str) -> Mapping[str, Any]:
        """Plain values of a module, such as its version."""
        values = self._constants.get(module, {})
        return {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in values.items()
        }

    def hint(self, module: str, name: str) -> str:
        """The nearest name, as the end of a sentence; empty where none is near."""
        suggestion = did_you_mean(name, self.public(module))
        return f"; {suggestion}" if suggestion else ""
