"""``custom_imports``: modules that a trusted config wants imported when it is read."""

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Mapping
from typing import Any

from ..errors import ConfigWarning, CustomImportError


def import_named(tree: Mapping[str, Any]) -> None:
    """Import the modules that ``custom_imports`` names, if it is there.

    Raises:
        CustomImportError: one cannot be imported and ``allow_failed_imports`` is not set.
        TypeError: it is written in another form.
    """
    wanted = tree.get("custom_imports")
    if wanted is None:
        return
    if not isinstance(wanted, Mapping) or "imports" not in wanted:
        raise TypeError(f"custom_imports must be dict(imports=[...]), not {wanted!r}")
    names = wanted["imports"]
    for name in [names] if isinstance(names, str) else names:
        if not isinstance(name, str):
            raise TypeError(f"custom_imports.imports holds {name!r}; write dotted module names")
        try:
            importlib.import_module(name)
        except ImportError as error:
            text = f"cannot import {name!r}, which custom_imports names: {error}"
            if not wanted.get("allow_failed_imports", False):
                raise CustomImportError(
                    f"{text}; searched {sys.path}; add its folder to PYTHONPATH or install it"
                ) from error
            warnings.warn(text, ConfigWarning, stacklevel=4)
