"""What the import statements of a pure-Python config mean.

Imports of the standard library are made for real; any other becomes a placeholder with
its file and line. Relative imports name other configs and belong under ``read_base``.
"""

from __future__ import annotations

import ast
from typing import NamedTuple

from ..errors import ConfigParsingError
from ..tree.placeholders import LazyObject
from .dialect import CONFIG_MODULES, is_of_config_package, is_standard


class ImportedName(NamedTuple):
    """A name that an import binds, and the placeholder of what it would import."""

    name: str
    placeholder: LazyObject


Step = ast.stmt | ImportedName


class ForeignImports:
    """Turns imports of anything outside the standard library into placeholders.

    Args:
        shown: file name for errors.
    """

    def __init__(self, shown: str) -> None:
        self._shown = shown
        self._modules: dict[str, tuple[str, ...]] = {}

    def replaced(self, body: list[ast.stmt]) -> list[Step]:
        """Give the statements of a file's top level with foreign imports replaced."""
        steps: list[Step] = []
        for statement in body:
            if isinstance(statement, ast.Import):
                steps += self._import(statement)
            elif isinstance(statement, ast.ImportFrom):
                steps += self._import_from(statement)
            else:
                steps.append(statement)
        return steps

    def _import(self, statement: ast.Import) -> list[Step]:
        steps: list[Step] = []
        for alias in statement.names:
            if alias.name in CONFIG_MODULES:
                continue
            if is_standard(alias.name):
                steps.append(ast.copy_location(ast.Import(names=[alias]), statement))
            elif alias.asname:
                lazy = LazyObject(alias.name, None, self._location(statement))
                steps.append(ImportedName(alias.asname, lazy))
            else:
                name = alias.name.partition(".")[0]
                modules = (*self._modules.get(name, ()), alias.name)
                self._modules[name] = modules
                lazy = LazyObject(modules, None, self._location(statement))
                steps.append(ImportedName(name, lazy))
        return steps

    def _import_from(self, statement: ast.ImportFrom) -> list[Step]:
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
        steps: list[Step] = []
        for alias in statement.names:
            if alias.name == "*":
                raise ConfigParsingError(
                    f"{self._location(statement)}: `from {module} import *` cannot be a "
                    "placeholder, since its names are not known; import them by name"
                )
            lazy = LazyObject(module, alias.name, self._location(statement))
            steps.append(ImportedName(alias.asname or alias.name, lazy))
        return steps

    def _location(self, statement: ast.stmt) -> str:
        return f"{self._shown}:{statement.lineno}"
