"""Packages that are needed only for some things: one door, one message."""

from __future__ import annotations

import importlib
from types import ModuleType

from .errors import MissingExtraError


def require(module: str, *, extra: str, purpose: str) -> ModuleType:
    """The module, imported now; where its package is missing, an error that says how to get it."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        package = module.partition(".")[0]
        if error.name != package:
            raise  # installed but broken: the real error says more
        raise MissingExtraError(
            f"{purpose} needs the package {package!r}, which is not installed; "
            f"run: pip install 'tk-optim[{extra}]'"
        ) from error
