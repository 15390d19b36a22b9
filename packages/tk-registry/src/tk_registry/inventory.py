"""What is registered: a walk through a tree of registries, and a count over all of them."""

from __future__ import annotations

from typing import Any

from . import root
from .discovery import import_announced
from .errors import RegistrationImportError
from .registry import Registry
from .scope import ROOT_SCOPE
from .tree import Node


def _log() -> Any:
    import logging  # 8 ms, and only these reports need it

    return logging.getLogger("tk.registry")


def traverse_registry_tree(registry: Registry[Any], verbose: bool = True) -> list[dict[str, Any]]:
    """One dict for each registry of the tree that ``registry`` belongs to, depth first.

    Each holds ``num_modules``, ``scope``, and for each folder (the module path with
    slashes, without its last part) the sorted names that come from there.

    Args:
        registry: any node; the walk starts at its root.
        verbose: log the result at level INFO.
    """
    found: list[dict[str, Any]] = []
    _walk(registry.root, found)
    if verbose:
        for entry in found:
            _log().info("%s: %s", registry.name, entry)
    return found


def _walk(node: Node[Any], found: list[dict[str, Any]]) -> None:
    entry: dict[str, Any] = {"num_modules": len(node), "scope": node.scope}
    for name, thing in sorted(node.module_dict.items()):
        module = getattr(getattr(thing, "func", thing), "__module__", None) or "builtins"
        entry.setdefault("/".join(module.split(".")[:-1]), []).append(name)
    found.append(entry)
    for _, child in sorted(node.children.items()):
        _walk(child, found)


def count_registered_modules(save_path: str | None = None, verbose: bool = True) -> dict[str, Any]:
    """What every shared registry holds, after importing all that installed packages announce.

    Args:
        save_path: folder to write ``modules_statistic_results.json`` into.
        verbose: log the result at level INFO.

    Returns:
        ``scan_date`` (a text), and under ``registries`` the result of
        `traverse_registry_tree` for each variable name (``"MODELS"``).
    """
    failures: list[RegistrationImportError] = []
    for _ in import_announced(ROOT_SCOPE, others=True, failures=failures):
        pass
    for failure in failures:
        _log().warning("%s", failure)
    from datetime import datetime  # with json and pathlib 12 ms, and only this report needs them

    result = {
        "scan_date": datetime.now().astimezone().isoformat(" ", "seconds"),
        "registries": {
            variable: traverse_registry_tree(registry, verbose)
            for variable, registry in sorted(vars(root).items())
            if isinstance(registry, Registry)
        },
    }
    if save_path is not None:
        import json
        from pathlib import Path

        target = Path(save_path) / "modules_statistic_results.json"
        target.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    return result
