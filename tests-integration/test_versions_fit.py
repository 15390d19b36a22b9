"""The versions in this tree satisfy every range in this tree."""

from __future__ import annotations

import pytest
from packaging.requirements import Requirement
from tree import PACKAGES

VERSIONS = {package.name: package.version for package in PACKAGES}
INTERNAL = [
    pytest.param(package.name, Requirement(line), id=f"{package.name} needs {line}")
    for package in PACKAGES
    for line in [*package.dependencies, *package.optional]
    if line.startswith("tk-")
]


@pytest.mark.parametrize(("user", "need"), INTERNAL)
def test_the_versions_in_this_tree_fit_together(user: str, need: Requirement) -> None:
    assert need.specifier.contains(VERSIONS[need.name]), (
        f"{user} asks for {need}, but packages/{need.name} is {VERSIONS[need.name]}; "
        f"widen the range in packages/{user}/pyproject.toml and release {user}"
    )


@pytest.mark.parametrize(("user", "need"), INTERNAL)
def test_a_range_on_a_sibling_has_a_floor_and_a_ceiling(user: str, need: Requirement) -> None:
    operators = {specifier.operator for specifier in need.specifier}

    assert operators == {">=", "<"}, f"{user}: {need} needs a floor that is tested and a ceiling"
