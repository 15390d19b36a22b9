"""Scopes that are the names of installed libraries."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tk_registry import (
    DefaultScope,
    RegistrationImportError,
    Registry,
    UnknownScopeError,
    library_scopes,
    root,
)

REGISTERS = """
from tk_registry import Registry, root
MODELS = Registry("model", parent=root.MODELS, scope="{name}", locations=["{name}.nets"])
"""
NETS = """
from .registry import MODELS
@MODELS.register_module
class Net: ...
"""


def write_library(folder: Path, name: str, registry: str = REGISTERS) -> None:
    (folder / name).mkdir()
    (folder / name / "__init__.py").touch()
    (folder / name / "registry.py").write_text(registry.format(name=name))
    (folder / name / "nets.py").write_text(NETS)


def test_a_library_is_found_by_its_scope(modules: Path) -> None:
    write_library(modules, "lib_by_prefix")

    with library_scopes():
        assert type(root.MODELS.build({"type": "lib_by_prefix.Net"})).__name__ == "Net"


def test_a_library_is_found_as_the_default_scope(modules: Path) -> None:
    write_library(modules, "lib_by_default")

    with library_scopes(), DefaultScope.overwrite_default_scope("lib_by_default"):
        assert type(root.MODELS.build({"type": "Net"})).__name__ == "Net"


def test_outside_of_the_block_nothing_is_imported(modules: Path) -> None:
    write_library(modules, "lib_outside", "raise SystemExit('run')\n")

    with pytest.raises(KeyError, match="lib_outside"):
        root.MODELS.get("lib_outside.Net")
    with pytest.raises(UnknownScopeError):
        root.MODELS.build({"type": "Net", "_scope_": "lib_outside"})


def test_a_library_that_fails_to_import_is_named_with_the_cause(modules: Path) -> None:
    write_library(modules, "lib_broken", "import no_such_module_at_all\n")

    with library_scopes():
        with pytest.raises(RegistrationImportError, match=r"'lib_broken.*no_such_module_at_all"):
            root.MODELS.get("lib_broken.Net")
        with pytest.raises(UnknownScopeError, match="no_such_module_at_all"):
            root.MODELS.build({"type": "Net", "_scope_": "lib_broken"})


@pytest.mark.parametrize("name", ["json", "not_installed_anywhere", "pytest", "a-b"])
def test_other_names_stay_unknown(name: str) -> None:
    models: Registry[Any] = root.MODELS
    with library_scopes(), pytest.raises(UnknownScopeError):
        models.build({"type": "Net", "_scope_": name})
