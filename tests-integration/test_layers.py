"""Imports point downward, and no module reaches itself: what the layers tool cannot see."""

from __future__ import annotations

import ast
from pathlib import Path

import import_graph
import pytest
from tree import PACKAGES, ROW_OF, TORCH_FREE, Package


@pytest.mark.parametrize("package", PACKAGES, ids=repr)
def test_a_package_imports_only_from_the_rows_below_it(package: Package) -> None:
    for name, path in import_graph.modules_below(package.source).items():
        for module, _ in import_graph.imports_of(name, path):
            root = module.partition(".")[0]
            if root in ROW_OF and root != package.module:
                assert ROW_OF[root] < ROW_OF[package.module], (
                    f"{path}: imports {root} upward or sideways"
                )


@pytest.mark.parametrize("package", PACKAGES, ids=repr)
def test_a_package_takes_only_public_names_from_another(package: Package) -> None:
    for name, path in import_graph.modules_below(package.source).items():
        for module, _ in import_graph.imports_of(name, path):
            root, _, inner = module.partition(".")
            if root in ROW_OF and root != package.module:
                assert not inner, f"{path}: import from {root}, not from {module}"


@pytest.mark.parametrize("package", PACKAGES, ids=repr)
def test_imports_inside_a_package_are_relative(package: Package) -> None:
    for path in package.files():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            absolute = isinstance(node, ast.ImportFrom) and node.level == 0 and node.module
            root = absolute.partition(".")[0] if absolute else ""
            assert root != package.module, f"{path}:{node.lineno}: import with leading dots"


@pytest.mark.parametrize("package", [p for p in PACKAGES if p.name in TORCH_FREE], ids=repr)
def test_a_torch_free_package_does_not_name_torch_in_an_import(package: Package) -> None:
    for name, path in import_graph.modules_below(package.source).items():
        named = {module.partition(".")[0] for module, _ in import_graph.imports_of(name, path)}
        assert "torch" not in named, f"{path} imports torch"


@pytest.mark.parametrize("package", PACKAGES, ids=repr)
def test_no_module_imports_itself_by_any_way(package: Package) -> None:
    cycle = import_graph.cycle_in(import_graph.edges(package.source))

    assert cycle is None, " -> ".join(cycle or [])


@pytest.mark.parametrize(
    "late_import",
    [
        "from . import taken",
        "def f():\n    from demo import taken",
        "import importlib\ndef f():\n    importlib.import_module('demo')",
        "import importlib\ndef f():\n    importlib.import_module('.', __package__)",
    ],
    ids=["from-own-init", "inside-a-function", "import-module", "import-module-relative"],
)
def test_a_cycle_through_the_own_init_is_seen(tmp_path: Path, late_import: str) -> None:
    source = tmp_path / "demo"
    source.mkdir()
    (source / "__init__.py").write_text("from .part import taken\n")
    (source / "part.py").write_text(f"{late_import}\ntaken = 1\n")

    assert import_graph.cycle_in(import_graph.edges(source)) == ["demo", "demo.part", "demo"]


def test_a_cycle_through_a_lazy_table_is_seen(tmp_path: Path) -> None:
    source = tmp_path / "demo"
    source.mkdir()
    (source / "__init__.py").write_text('_MODULE_OF = {"taken": "part"}\n')
    (source / "part.py").write_text("from demo import taken\n")

    assert import_graph.cycle_in(import_graph.edges(source)) == ["demo", "demo.part", "demo"]
