"""What the import statements of a pure-Python config mean.

Imports of the standard library are made for real; any other becomes a placeholder with
its file and line. Relative imports name other configs and belong under ``read_base``.
"""

from __future__ import annotations

import ast
from typing import Any

from ..errors import ConfigParsingError
from ..tree.placeholders import LazyObject
from .dialect import CONFIG_MODULES, is_of_config_package, is_standard
from .instrument import LAZY


class ImportRewriter:
    """Turns imports into assignments of placeholders.

    Args:
        path: absolute name of the file.
        shown: file name for errors.
        lazies: filled with the placeholders, to which the new statements refer by number.
    """

    def __init__(self, path: str, shown: str, lazies: list[Any]) -> None:
        self._path = path
        self._shown = shown
        self._lazies = lazies
        self._modules: dict[str, tuple[str, ...]] = {}

    def statements(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """Give the statements of a file's top level with foreign imports replaced."""
        made: list[ast.stmt] = []
        for statement in body:
            if isinstance(statement, ast.Import):
                made += self._import(statement)
            elif isinstance(statement, ast.ImportFrom):
                made += self._import_from(statement)
            else:
                made.append(statement)
        return made

    def _import(self, statement: ast.Import) -> list[ast.stmt]:
        made: list[ast.stmt] = []
        for alias in statement.names:
            if alias.name in CONFIG_MODULES:
                continue
            if is_standard(alias.name):
                made.append(ast.copy_location(ast.Import(names=[alias]), statement))
            elif alias.asname:
                lazy = LazyObject(alias.name, None, self._location(statement))
                made.append(self._assign(alias.asname, lazy, statement))
            else:
                name = alias.name.partition(".")[0]
                modules = (*self._modules.get(name, ()), alias.name)
                self._modules[name] = modules
                lazy = LazyObject(modules, None, self._location(statement))
                made.append(self._assign(name, lazy, statement))
        return made

    def _import_from(self, statement: ast.ImportFrom) -> list[ast.stmt]:
        if statement.level:
            raise ConfigParsingError(
                f"{self._location(statement)}: a relative import names another config; "
                "put it under `with read_base():`"
            )
        if is_of_config_package(statement):
            return []
        module = statement.module or ""
        if is_standard(module):
            return [statement]
        made: list[ast.stmt] = []
        for alias in statement.names:
            if alias.name == "*":
                raise ConfigParsingError(
                    f"{self._location(statement)}: `from {module} import *` cannot be a "
                    "placeholder, since its names are not known; import them by name"
                )
            lazy = LazyObject(module, alias.name, self._location(statement))
            made.append(self._assign(alias.asname or alias.name, lazy, statement))
        return made

    def _assign(self, name: str, lazy: LazyObject, near: ast.stmt) -> ast.stmt:
        self._lazies.append(lazy)
        call = ast.Call(
            func=ast.Name(id=LAZY, ctx=ast.Load()),
            args=[ast.Constant(value=len(self._lazies) - 1)],
            keywords=[],
        )
        assign = ast.Assign(targets=[ast.Name(id=name, ctx=ast.Store())], value=call)
        return ast.fix_missing_locations(ast.copy_location(assign, near))

    def _location(self, statement: ast.stmt) -> str:
        return f"{self._shown}:{statement.lineno}"
