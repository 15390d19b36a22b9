"""Public names that are imported when they are first asked for.

A package of this distribution has one table, name to the module that defines
it, and hands it to ``lazy_names``; importing the package then costs nothing
and loads no torch. What the table does not hold is an ordinary
``AttributeError`` with the nearest name.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any

from tk_registry import did_you_mean


def lazy_names(
    package: str, exports: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The ``__getattr__`` and ``__dir__`` of ``package`` for the names in ``exports``.

    Args:
        package: ``__name__`` of the package.
        exports: public name to the module, relative to ``package``, that has it.
    """

    def get(name: str) -> Any:
        if name in exports:
            value = getattr(importlib.import_module(f"{package}.{exports[name]}"), name)
            setattr(sys.modules[package], name, value)
            return value
        hint = did_you_mean(name, exports, "")
        raise AttributeError(
            f"module {package!r} has no attribute {name!r}{'; ' if hint else ''}{hint}"
        )

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *exports})

    return get, names
