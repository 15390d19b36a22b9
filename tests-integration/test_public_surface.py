"""The public names of every package: sorted, present, and not hidden by a module."""

from __future__ import annotations

import ast
import importlib
import re

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


@pytest.mark.parametrize("package", PACKAGES, ids=repr)
def test_the_table_of_a_readme_has_every_public_name(package: Package) -> None:
    readme = (package.folder / "README.md").read_text(encoding="utf-8")
    table = readme.partition("\n## Public names\n")[2]
    told = set(re.findall(r"`(\w+)`", table))
    public = importlib.import_module(package.module).__all__

    assert [name for name in public if not {name, family_of(name)} & told] == []


def family_of(schedule: str) -> str:
    """``"StepLR"`` gives ``"Step"``: tk-optim tells its schedules by family."""
    return re.sub("(LR|Momentum|ParamScheduler)$", "", schedule)


@pytest.mark.parametrize("package", PACKAGES, ids=repr)
def test_a_type_checker_does_not_take_any_name_for_public(package: Package) -> None:
    for path in package.source.rglob("__init__.py"):
        body = ast.parse(path.read_text(encoding="utf-8")).body
        open_to_all = [node for node in body if getattr(node, "name", "") == "__getattr__"]
        assert not open_to_all, f"{path}: define __getattr__ under 'if not TYPE_CHECKING'"
