"""What a package declares is what it imports: no more, no less."""

from __future__ import annotations

import sys

import import_graph
import pytest
from tree import PACKAGES, Package, distribution_name

IMPORT_NAME = {"pyyaml": "yaml", "pillow": "PIL"}


def imported(package: Package) -> set[str]:
    names = {
        module.partition(".")[0]
        for name, path in import_graph.modules_below(package.source).items()
        for module, _ in import_graph.imports_of(name, path)
    }
    return names - set(sys.stdlib_module_names) - {package.module, "tomllib"}


def declared(package: Package) -> set[str]:
    names = map(distribution_name, [*package.dependencies, *package.optional])
    return {IMPORT_NAME.get(name, name.replace("-", "_")) for name in names}


@pytest.mark.parametrize("package", PACKAGES, ids=repr)
def test_a_package_declares_what_it_imports_and_no_more(package: Package) -> None:
    undeclared = imported(package) - declared(package)
    unused = declared(package) - imported(package)

    assert not undeclared, f"{package} imports without declaring: {sorted(undeclared)}"
    assert not unused, f"{package} declares without importing: {sorted(unused)}"
