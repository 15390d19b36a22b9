"""The one door to packages that are not always installed."""

from __future__ import annotations

import importlib
from types import ModuleType

from .errors import MissingExtraError


def require(module: str, *, extra: str, purpose: str) -> ModuleType:
    """Import ``module``, or say which extra brings it.

    Raises:
        MissingExtraError: it is not installed. One that is installed but
            broken shows its own error.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module.partition(".")[0]:
            raise  # installed but broken: the real error says more
        raise MissingExtraError(
            f"{purpose} needs the package {module!r}, which is not installed; "
            f"run: pip install 'tk-fileio[{extra}]'"
        ) from error
