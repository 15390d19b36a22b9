"""The one door to optional packages."""

from __future__ import annotations

import importlib
from types import ModuleType

from .errors import MissingExtraError


def require(module: str, *, extra: str, purpose: str) -> ModuleType:
    """The module, imported now.

    Raises:
        MissingExtraError: it is not installed; the text says what to run.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module.partition(".")[0]:
            raise  # installed but broken: its own error says more
        raise MissingExtraError(
            f"{purpose} needs the package {module!r}, which is not installed; "
            f"run: pip install 'tk-evaluator[{extra}]'"
        ) from error
