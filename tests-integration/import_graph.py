"""Who imports whom, read from the source; imports that run late are edges as well.

Counted: import statements wherever they stand, ``importlib.import_module`` and
``require`` with a literal name, and the tables of lazy ``__init__`` files. Not
counted: that importing ``a.b`` runs ``a/__init__.py``, which is true of every
module and says nothing about design.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

LATE_IMPORTERS = {"import_module", "require", "require_extra", "__import__"}


def modules_below(source: Path) -> dict[str, Path]:
    """Every module under ``source`` (the folder of a package) by dotted name."""
    found = {}
    for path in sorted(source.rglob("*.py")):
        parts = [source.name, *path.relative_to(source).with_suffix("").parts]
        if parts[-1] == "__init__":
            parts.pop()
        found[".".join(parts)] = path
    return found


def imports_of(name: str, path: Path) -> Iterator[tuple[str, str | None]]:
    """Each import of a module as (module, name taken from it or None)."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, None) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(package, node.module or "", node.level)
            yield from ((base, alias.name) for alias in node.names)
        elif isinstance(node, ast.Call) and _callee(node) in LATE_IMPORTERS:
            yield from _late_import(node, package)
    if path.name == "__init__.py":
        yield from _lazy_table(package, path)


def _absolute(package: str, module: str, level: int) -> str:
    if level == 0:
        return module
    parts = package.split(".")
    kept = parts[: len(parts) - (level - 1)]
    return ".".join([*kept, module] if module else kept)


def _callee(node: ast.Call) -> str:
    function = node.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _late_import(node: ast.Call, package: str) -> Iterator[tuple[str, None]]:
    first = node.args[0] if node.args else None
    if isinstance(first, ast.Constant) and isinstance(first.value, str):
        text = first.value
        level = len(text) - len(text.lstrip("."))
        yield _absolute(package, text.lstrip("."), level), None


def _lazy_table(package: str, path: Path) -> Iterator[tuple[str, None]]:
    """Module-level dicts of strings in an ``__init__`` name submodules that are imported late."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        value = getattr(node, "value", None)
        if not isinstance(value, ast.Dict):
            continue
        for word in (*value.keys, *value.values):
            if isinstance(word, ast.Constant) and isinstance(word.value, str):
                yield f"{package}.{word.value.lstrip('.')}", None


def edges(source: Path) -> dict[str, set[str]]:
    """The graph of one package: module to the modules of the same package that it imports."""
    modules = modules_below(source)
    graph: dict[str, set[str]] = {name: set() for name in modules}
    for name, path in modules.items():
        for module, member in imports_of(name, path):
            inner = f"{module}.{member}" if member else module
            target = inner if inner in modules else module
            if target in modules and target != name:
                graph[name].add(target)
    return graph


def cycle_in(graph: dict[str, set[str]]) -> list[str] | None:
    """A chain of modules that ends where it begins, or None."""
    done: set[str] = set()
    for start in graph:
        found = _walk(start, graph, [], done)
        if found:
            return found
    return None


def _walk(
    node: str, graph: dict[str, set[str]], chain: list[str], done: set[str]
) -> list[str] | None:
    if node in chain:
        return [*chain[chain.index(node) :], node]
    if node in done:
        return None
    for target in sorted(graph[node]):
        found = _walk(target, graph, [*chain, node], done)
        if found:
            return found
    done.add(node)
    return None
