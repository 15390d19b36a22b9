"""All eight packages have the same shape."""

from __future__ import annotations

import ast
import sys

import pytest
from tree import PACKAGES, Package

EXPECTED = [
    "pyproject.toml",
    "README.md",
    "CHANGELOG.md",
    "changelog.d",
    "tests/test_public_names.py",
    "tests/test_readme.py",
]


@pytest.mark.parametrize("package", PACKAGES, ids=repr)
def test_a_package_has_every_part_of_the_skeleton(package: Package) -> None:
    source = [f"src/{package.module}/{name}" for name in ("__init__.py", "py.typed", "errors.py")]
    missing = [part for part in [*EXPECTED, *source] if not (package.folder / part).exists()]

    assert not missing


@pytest.mark.parametrize("package", PACKAGES, ids=repr)
def test_the_version_stands_in_one_place(package: Package) -> None:
    assigned = [
        path
        for path in package.files()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Assign)
        and any(getattr(target, "id", "") == "__version__" for target in node.targets)
    ]

    assert not assigned, "the version belongs into pyproject.toml alone"


@pytest.mark.parametrize("package", PACKAGES, ids=repr)
def test_no_module_hides_the_standard_library_or_is_a_drawer(package: Package) -> None:
    vague = {"utils", "misc", "common", "helpers"}
    names = {path.stem for path in package.files()} - {"__init__", "__main__"}

    assert not names & vague
    assert not {name for name in names & set(sys.stdlib_module_names) if name not in ALLOWED}


# Names of the field that users import from; they stand inside a package, so nothing is hidden.
ALLOWED = {"profiler", "signal", "code", "test"}
