"""Scopes that are the names of installed libraries, as in MMEngine; off unless asked for.

A library that announces nothing registers when its module ``registry`` is imported.
A scope's name alone must not make code run, so that happens only where the
application says that the configs of this block are trusted.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from .errors import RegistrationImportError

_are_imported: ContextVar[bool] = ContextVar("library_scopes", default=False)


@contextmanager
def library_scopes() -> Iterator[None]:
    """Inside the block, a scope that nobody registered may be the name of a library.

    ``default_scope="somelib"`` or ``somelib.Net`` then imports ``somelib.registry``, where
    an installed package has that module. Only for configs that are trusted as code is.
    """
    token = _are_imported.set(True)
    try:
        yield
    finally:
        _are_imported.reset(token)


def import_library(scope: str, failures: list[RegistrationImportError]) -> bool:
    """Import the module that registers of the library called ``scope``.

    Args:
        scope: the scope that nobody has registered.
        failures: takes the error where the module fails to import.

    Returns:
        Whether the module was imported now.
    """
    module = f"{scope}.registry"
    if not _are_imported.get() or module in sys.modules or not _is_library(scope):
        return False
    try:
        importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name == module:
            return False  # a package that registers nothing in this way
        failures.append(_failure(scope, module, error))
        return False
    except Exception as error:
        failures.append(_failure(scope, module, error))
        return False
    return True


def _is_library(scope: str) -> bool:
    if not scope.isidentifier() or scope in sys.stdlib_module_names:
        return False
    try:
        return importlib.util.find_spec(scope) is not None
    except (ImportError, ValueError):
        return False


def _failure(scope: str, module: str, error: Exception) -> RegistrationImportError:
    failure = RegistrationImportError(
        f"the scope {scope!r} is a library whose module {module!r} failed to import: "
        f"{type(error).__name__}: {error}; repair or uninstall that library",
        scopes=[scope],
    )
    failure.__cause__ = error
    return failure
