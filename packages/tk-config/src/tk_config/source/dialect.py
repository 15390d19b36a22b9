"""Is a file of the pure-Python dialect?

Decided by what the file says, first ``read_base`` and ``_base_``, then templates, then
imports of anything outside the standard library. Where modules lie plays no part, so
the answer is the same in every environment.
"""

from __future__ import annotations

import ast
import sys
from typing import Any

from ..errors import ConfigParsingError

CONFIG_MODULES = frozenset({"tk_config", "mmengine.config", "mmengine.config.config"})
_NAMES_OF_MMENGINE = frozenset({"read_base", "Config", "ConfigDict"})


def is_lazy(
    statements: list[ast.stmt], shown: str, *, forced: bool | None, has_bare_templates: bool
) -> bool:
    """Tell the dialect of a file.

    Args:
        statements: the file's top level, which is long; most of it are assignments.
        shown: file name for errors.
        forced: what the caller wants; None decides by the file.
        has_bare_templates: whether ``{{...}}`` stands outside quotes, which only the
            text dialect knows.

    Raises:
        ConfigParsingError: the file, or the caller, asks for both dialects at once.
    """
    statements = [line for line in statements if line.__class__ is not ast.Assign or _is_base(line)]
    base = next((line.lineno for line in statements if base_assignment(line)), None)
    reads = next((line.lineno for line in statements if is_read_base(line)), None)
    if base is not None and reads is not None:
        raise ConfigParsingError(
            f"{shown}:{reads}: `with read_base()` and `_base_` (line {base}) are two ways to "
            "inherit and one file uses one of them; name all bases in the same way"
        )
    if base is not None and forced is True:
        raise ConfigParsingError(
            f"{shown}:{base}: `_base_` belongs to the text dialect, but lazy_import=True asks for "
            "the pure-Python one; leave lazy_import out or inherit by `with read_base():`"
        )
    if reads is not None and forced is False:
        raise ConfigParsingError(
            f"{shown}:{reads}: `with read_base()` belongs to the pure-Python dialect, but "
            "lazy_import=False asks for the text one; leave lazy_import out or inherit by `_base_`"
        )
    if forced is not None:
        return forced
    if base is not None or reads is not None or has_bare_templates:
        return reads is not None
    return any(_names_something_foreign(line) for line in statements)


def _is_base(statement: Any) -> bool:
    return getattr(statement.targets[0], "id", "") == "_base_"


def base_assignment(statement: ast.stmt) -> ast.expr | None:
    """Give the value of ``_base_ = ...``, or None for any other statement."""
    if isinstance(statement, ast.Assign):
        target = statement.targets[0]
        if isinstance(target, ast.Name) and target.id == "_base_":
            return statement.value
    if (
        isinstance(statement, ast.AnnAssign)
        and isinstance(statement.target, ast.Name)
        and statement.target.id == "_base_"
    ):
        return statement.value
    return None


def is_read_base(statement: ast.stmt) -> bool:
    """Tell whether a statement is ``with read_base():``."""
    if not isinstance(statement, ast.With) or len(statement.items) != 1:
        return False
    call = statement.items[0].context_expr
    if not isinstance(call, ast.Call):
        return False
    name = call.func
    return (isinstance(name, ast.Name) and name.id == "read_base") or (
        isinstance(name, ast.Attribute) and name.attr == "read_base"
    )


def is_standard(module: str) -> bool:
    """Tell whether a module is of the standard library, wherever that lies."""
    return module.partition(".")[0] in sys.stdlib_module_names


def is_of_config_package(statement: ast.stmt) -> bool:
    """Tell whether a statement imports ``read_base`` and its like, which needs no import."""
    if not isinstance(statement, ast.ImportFrom) or statement.level:
        return False
    return statement.module in CONFIG_MODULES or (
        statement.module == "mmengine"
        and all(alias.name in _NAMES_OF_MMENGINE for alias in statement.names)
    )


def _names_something_foreign(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.ImportFrom):
        if statement.level:
            return True
        return not is_of_config_package(statement) and not is_standard(statement.module or "")
    if isinstance(statement, ast.Import):
        return any(
            not is_standard(alias.name) and alias.name not in CONFIG_MODULES
            for alias in statement.names
        )
    return False
