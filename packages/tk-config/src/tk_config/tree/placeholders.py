"""Placeholders for things that a config names and that are imported only when read.

``LazyObject`` stands for an imported module or name, ``LazyAttr`` for an attribute of
one. Nothing is imported before :meth:`build`; an error then names the config's line.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

from ..errors import ConfigError, CustomImportError


class LazyCallError(ConfigError, RuntimeError):
    """A placeholder that was called while the config was read."""


class _Lazy:
    """What both placeholders share: a dotted name, a place, and that they are not the thing."""

    __slots__ = ("_location",)
    _location: str | None

    @property
    def dotted_name(self) -> str:
        raise NotImplementedError

    def build(self) -> Any:
        """Import and give the thing itself."""
        raise NotImplementedError

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return LazyAttr(name, self, self._location)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise LazyCallError(
            f"{self.dotted_name} is only named in a config of the pure-Python dialect, so it "
            f"cannot be called there{self._place()}; write dict(type={self}, ...) and let it be "
            "built, or load the file with lazy_import=False"
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Lazy) and self.dotted_name == other.dotted_name

    def __hash__(self) -> int:
        return hash(self.dotted_name)

    def __repr__(self) -> str:
        return f"<lazy {self.dotted_name}>"

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return self

    def _place(self) -> str:
        return f" ({self._location})" if self._location else ""

    def _cannot(self, what: str) -> CustomImportError:
        return CustomImportError(
            f"cannot import {what}, which the config names{self._place()}; "
            "install the package that holds it or correct the import"
        )


class LazyObject(_Lazy):
    """A module, or a name in a module, that is imported when it is built.

    Args:
        module: dotted module, or several that are imported together (the first
            component of them is what is given then).
        imported: name to take from the module; None gives the module itself.
        location: ``"file:line"`` of the import, for errors.
    """

    __slots__ = ("_imported", "_module")

    def __init__(
        self,
        module: str | Sequence[str],
        imported: str | None = None,
        location: str | None = None,
    ) -> None:
        if not isinstance(module, (str, list, tuple)):
            raise TypeError(f"module must be a dotted name or a list of them, not {module!r}")
        if imported is not None and not isinstance(imported, str):
            raise TypeError(f"imported must be a name or None, not {imported!r}")
        self._module: str | tuple[str, ...] = module if isinstance(module, str) else tuple(module)
        self._imported = imported
        self._location = location

    @property
    def module(self) -> str | tuple[str, ...]:
        """The module, or the modules, that will be imported."""
        return self._module

    @property
    def dotted_name(self) -> str:
        """The full name of the thing."""
        if isinstance(self._module, tuple):
            return self._module[0].partition(".")[0]
        return f"{self._module}.{self._imported}" if self._imported else self._module

    def build(self) -> Any:
        """Import and give the thing itself.

        Raises:
            CustomImportError: it cannot be imported; names the config's file and line.
        """
        modules = (self._module,) if isinstance(self._module, str) else self._module
        try:
            loaded = [importlib.import_module(module) for module in modules]
        except (Exception, SystemExit) as error:
            raise self._cannot(self.dotted_name) from error
        if isinstance(self._module, tuple):
            return importlib.import_module(self.dotted_name)
        if self._imported is None:
            return loaded[0]
        try:
            return getattr(loaded[0], self._imported)
        except AttributeError:
            try:
                return importlib.import_module(self.dotted_name)
            except ImportError as error:
                raise self._cannot(self.dotted_name) from error

    def __str__(self) -> str:
        return self.dotted_name if self._imported is None else self._imported

    def __reduce__(self) -> Any:
        return LazyObject, (self._module, self._imported, self._location)


class LazyAttr(_Lazy):
    """An attribute of a placeholder, taken when it is built."""

    __slots__ = ("_name", "_source")

    def __init__(self, name: str, source: _Lazy, location: str | None = None) -> None:
        if not isinstance(name, str) or not isinstance(source, _Lazy):  # type: ignore[redundant-expr]  # untyped callers
            raise TypeError(f"a LazyAttr needs a name and a placeholder, not {name!r}, {source!r}")
        self._name, self._source, self._location = name, source, location

    @property
    def module(self) -> str:
        """The dotted name of what the attribute is taken from."""
        return self._source.dotted_name

    @property
    def dotted_name(self) -> str:
        """The full name of the thing."""
        return f"{self._source.dotted_name}.{self._name}"

    def build(self) -> Any:
        """Import the source and give its attribute.

        Raises:
            CustomImportError: there is no such attribute or module.
        """
        built = self._source.build()
        try:
            return getattr(built, self._name)
        except AttributeError:
            try:  # a submodule that its package has not imported
                return importlib.import_module(self.dotted_name)
            except ImportError as error:
                raise self._cannot(self.dotted_name) from error

    def __str__(self) -> str:
        return self._name

    def __reduce__(self) -> Any:
        return LazyAttr, (self._name, self._source, self._location)


class DottedName(str):
    """The name of something that a config read as data would have imported: only a text."""

    __slots__ = ()


LAZY_TYPES: frozenset[Any] = frozenset({LazyObject, LazyAttr})
