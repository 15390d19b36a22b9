"""The public names of every package: sorted, present, and not hidden by a module."""

from __future__ import annotations

import importlib

import pytest
from tree import PACKAGES, Package


@pytest.mark.parametrize("package", PACKAGES, ids=repr)
def test_the_public_names_are_sorted_and_all_there(package: Package) -> None:
    module = importlib.import_module(package.module)

    assert list(module.__all__) == sorted(module.__all__)
    for name in module.__all__:
        assert getattr(module, name) is not None


@pytest.mark.parametrize("package", PACKAGES, ids=repr)
def test_no_public_name_is_also_a_module(package: Package) -> None:
    module = importlib.import_module(package.module)
    modules = {path.stem for path in package.source.glob("*.py")}
    modules |= {path.parent.name for path in package.source.glob("*/__init__.py")}

    assert not set(module.__all__) & modules
