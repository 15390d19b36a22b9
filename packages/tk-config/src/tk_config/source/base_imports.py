"""The imports under ``with read_base():``, by which a pure-Python config names its bases."""

from __future__ import annotations

import ast
from typing import NamedTuple

from ..errors import ConfigParsingError


class BaseImport(NamedTuple):
    """One ``from module import names`` under ``read_base``."""

    module: str
    level: int
    names: tuple[tuple[str, str], ...]
    """Pairs of the name in the base and the name here; ``("*", "*")`` for all."""
    line: int


def base_imports(block: ast.With, shown: str) -> list[BaseImport]:
    """List the imports under one ``with read_base():``.

    Raises:
        ConfigParsingError: something else stands there, or a module cannot name a file.
    """
    imports = []
    for statement in block.body:
        place = f"{shown}:{statement.lineno}"
        if isinstance(statement, ast.Pass):
            continue
        if not isinstance(statement, ast.ImportFrom):
            raise ConfigParsingError(
                f"{place}: only `from ... import ...` may stand under `with read_base():`; "
                "move the rest below the block"
            )
        if not statement.module:
            raise ConfigParsingError(
                f"{place}: `from {'.' * statement.level} import` names no file; "
                "write `from .file import name`"
            )
        if not statement.level and "." not in statement.module:
            raise ConfigParsingError(
                f"{place}: {statement.module!r} is a package, not a config in one; write "
                "`from package.folder.file import name`, or `from .file import name` for a file "
                "beside this one"
            )
        names = tuple((alias.name, alias.asname or alias.name) for alias in statement.names)
        imports.append(BaseImport(statement.module, statement.level, names, statement.lineno))
    return imports
