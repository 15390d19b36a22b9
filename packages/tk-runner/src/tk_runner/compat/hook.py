"""The modules of MMEngine, made of names of the tk packages.

A finder answers every import of ``mmengine`` and its submodules. A module holds
nothing at first; a name is looked up in the map (``names.toml``) when it is asked
for. One that has no counterpart is a class that can be imported and derived from,
and whose use is an error that says what to do instead.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from tk_fileio import trust_pickles
from tk_registry import library_scopes

from .absent import absent
from .errors import AlreadyImportedError
from .names import NameMap

ROOT = "mmengine"
_trust = ExitStack()
"""What MMEngine allows every program: see `install`."""


def install() -> None:
    """Let ``import mmengine`` give the names of the tk packages, in this process.

    An installed MMEngine is not touched and not used. As MMEngine does, a scope may
    then be the name of an installed library, which is imported, and annotations may
    be pickles: run configs and data that you trust.

    Raises:
        AlreadyImportedError: the real MMEngine was imported before.
    """
    loaded = sys.modules.get(ROOT)
    if loaded is not None and not isinstance(loaded, ServedModule):
        raise AlreadyImportedError(
            f"mmengine was already imported from {getattr(loaded, '__file__', 'elsewhere')}, and "
            "two libraries cannot share one name; import tk_runner.compat.mmengine before "
            "anything that imports mmengine"
        )
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder(NameMap.read()))
        _trust.enter_context(library_scopes())
        _trust.enter_context(trust_pickles())


def uninstall() -> None:
    """Take the hook away, and the modules that it made; for tests and notebooks."""
    _trust.close()
    sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, _Finder)]
    for name in [name for name, module in sys.modules.items() if isinstance(module, ServedModule)]:
        del sys.modules[name]


class ServedModule(ModuleType):
    """A module of MMEngine whose names come from the map.

    Args:
        name: of the module, such as ``mmengine.runner``.
        names: the map.
    """

    def __init__(self, name: str, names: NameMap) -> None:
        super().__init__(name, f"What MMEngine has in {name}, served by the tk packages.")
        self.__dict__["_names"] = names
        self.__dict__["__all__"] = sorted(names.public(name))

    def __getattr__(self, attribute: str) -> Any:
        names: NameMap = self.__dict__["_names"]
        if attribute.startswith("__"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {attribute!r}")
        target = names.target(self.__name__, attribute)
        if target is None:
            child = f"{self.__name__}.{attribute}"
            if names.has_module(child):
                return importlib.import_module(child)
            raise AttributeError(
                f"module {self.__name__!r} has no attribute {attribute!r}"
                f"{names.hint(self.__name__, attribute)}"
            )
        value = absent(self.__name__, attribute, target) if target.instead else target.load()
        self.__dict__[attribute] = value  # the next look-up does not come here
        return value

    def __dir__(self) -> Sequence[str]:
        return sorted({*super().__dir__(), *self.__dict__["_names"].public(self.__name__)})


class _Finder(MetaPathFinder, Loader):
    """Finds ``mmengine`` and its submodules before any installed package is looked at."""

    def __init__(self, names: NameMap) -> None:
        self._names = names

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> ModuleSpec | None:
        """A spec for a module of MMEngine; None for every other."""
        if fullname.partition(".")[0] != ROOT:
            return None
        if not self._names.has_module(fullname):
            raise ModuleNotFoundError(
                f"there is no module {fullname!r} in MMEngine {self._names.version}, which the tk "
                "packages stand in for",
                name=fullname,
            )
        return ModuleSpec(fullname, self, is_package=self._names.is_package(fullname))

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """An empty module that looks its names up."""
        return ServedModule(spec.name, self._names)

    def exec_module(self, module: ModuleType) -> None:
        """Nothing runs: names are looked up when they are asked for."""
        constants: Mapping[str, Any] = self._names.constants(module.__name__)
        module.__dict__.update(constants)
