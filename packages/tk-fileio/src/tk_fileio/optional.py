"""Optional packages: imported where they are used, through one function."""

from __future__ import annotations

import importlib
from types import ModuleType

from .errors import MissingExtraError


def require(module: str, *, install: str, purpose: str) -> ModuleType:
    """Import an optional package, or say how to install it.

    Args:
        module: full name of the module.
        install: what ``pip install`` needs to be given, such as ``tk-fileio[yaml]``.
        purpose: what the package is needed for; the error begins with it.

    Raises:
        MissingExtraError: it is not installed. One that is installed but broken
            shows its own error.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        package = module.partition(".")[0]
        if error.name != package:
            raise  # installed but broken: the real error says more
        raise MissingExtraError(
            f"{purpose} needs the package {package!r}, which is not installed; "
            f"run: pip install '{install}'"
        ) from error
