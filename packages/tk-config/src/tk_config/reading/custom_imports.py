"""``custom_imports``: modules that a trusted config wants imported when it is read."""

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Mapping
from typing import Any

from ..errors import ConfigWarning, CustomImportError
from ..tree.node import origin_of


class MalformedCustomImportsError(CustomImportError, TypeError):
    """``custom_imports`` that is not ``dict(imports=[...])``."""


def import_named(tree: Mapping[str, Any]) -> None:
    """Import the modules that ``custom_imports`` names, if it is there.

    Raises:
        CustomImportError: one cannot be imported and ``allow_failed_imports`` is not set, or
            fails in another way; or ``custom_imports`` has another form.
    """
    wanted = tree.get("custom_imports")
    if wanted is None:
        return
    place = f"{origin}: " if (origin := origin_of(tree, "custom_imports")) else ""
    if not isinstance(wanted, Mapping) or "imports" not in wanted:
        raise MalformedCustomImportsError(
            f"{place}custom_imports must be dict(imports=[...]), not {wanted!r}"
        )
    names = wanted["imports"]
    for name in [names] if isinstance(names, str) else names:
        if not isinstance(name, str):
            raise MalformedCustomImportsError(
                f"{place}custom_imports.imports holds {name!r}; write dotted module names"
            )
        _import(name, place, may_fail=bool(wanted.get("allow_failed_imports", False)))


def _import(name: str, place: str, *, may_fail: bool) -> None:
    try:
        importlib.import_module(name)
    except ImportError as error:
        text = f"{place}cannot import {name!r}, which custom_imports names: {error}"
        if not may_fail:
            raise CustomImportError(
                f"{text}; searched {sys.path}; add its folder to PYTHONPATH or install it"
            ) from error
        warnings.warn(text, ConfigWarning, stacklevel=5)
    except (Exception, SystemExit) as error:
        raise CustomImportError(
            f"{place}importing {name!r}, which custom_imports names, fails with "
            f"{type(error).__name__}: {error}; correct that module"
        ) from error
