"""One door for optional packages: imported on use, and their absence is one sentence."""

from __future__ import annotations

import importlib
from types import ModuleType

from .errors import MissingExtraError


def require(module: str, *, extra: str, purpose: str) -> ModuleType:
    """Import an optional module.

    Raises:
        MissingExtraError: it is not installed; the text says what to install.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module.partition(".")[0]:
            raise  # installed but broken: the real error says more
        raise MissingExtraError(
            f"{purpose} needs the package {error.name!r}, which is not installed; "
            f"run: pip install 'tk-runner[{extra}]'"
        ) from error
