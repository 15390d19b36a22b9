"""The tree of registries: scopes, parents, children."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Any

import pytest

from tk_registry import NameClashError, Registry
from tk_registry.tree import all_registries


def test_a_registry_knows_its_place(family: Any) -> None:
    assert family.little.name == "animal"
    assert family.little.scope == "little"
    assert family.little.parent is family.hound
    assert family.little.root is family.base
    assert family.base.root is family.base
    assert family.base.children == {"hound": family.hound, "cat": family.cat}


def test_an_empty_registry_is_true() -> None:
    assert Registry("empty", scope="base")
    assert len(Registry("empty", scope="base")) == 0


def test_the_scope_is_the_package_of_the_caller_by_default() -> None:
    assert Registry("thing").scope == __name__.partition(".")[0]


def test_the_scope_is_the_root_where_there_is_no_caller_module() -> None:
    space: dict[str, Any] = {"Registry": Registry}
    exec("made = Registry('thing')", space)

    assert space["made"].scope == "tk"


def test_the_module_that_makes_it_is_found_through_wrappers(modules: Path) -> None:
    (modules / "wolf_pack.py").write_text(
        "from tk_registry import Registry\n"
        "class Special(Registry):\n"
        "    def __init__(self, name):\n"
        "        super().__init__(name)\n"
        "MADE = Special('wolf')\n"
    )
    from wolf_pack import MADE

    assert MADE.scope == "wolf_pack"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"parent": "base"}, "parent must be a Registry"),
        ({"scope": 1}, "scope must be a str"),
        ({"build_func": 1}, "build_func must be callable"),
    ],
)
def test_wrong_arguments_are_a_type_error(arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(TypeError, match=said):
        Registry("thing", **arguments)


def test_two_children_of_one_scope_from_different_modules_clash(family: Any, modules: Path) -> None:
    (modules / "other_cats.py").write_text(
        "from tk_registry import Registry\n"
        "def adopt(parent):\n"
        "    return Registry('animal', parent=parent, scope='cat')\n"
    )
    from other_cats import adopt

    with pytest.raises(NameClashError, match=r"scope 'cat' already, made in .*other_cats"):
        adopt(family.base)


def test_a_child_made_again_by_the_same_module_replaces_the_old_one() -> None:
    base: Registry[Any] = Registry("animal", scope="base")
    Registry("animal", parent=base, scope="cat")
    again: Registry[Any] = Registry("animal", parent=base, scope="cat")

    assert base.children["cat"] is again


def test_a_registry_that_nobody_holds_is_forgotten() -> None:
    Registry("shortlived", scope="base")
    gc.collect()

    assert "shortlived" not in {node.name for node in all_registries()}


def test_what_the_parent_says_about_arguments_holds_for_its_children(family: Any) -> None:
    parent: Registry[Any] = Registry(
        "solver", scope="base", supplied=("params",), consumed=("unit",)
    )
    child: Registry[Any] = Registry("solver", parent=parent, scope="hound")
    own: Registry[Any] = Registry("solver", parent=parent, scope="cat", supplied=())

    assert child.supplied == {"params"}
    assert child.consumed == {"unit"}
    assert own.supplied == frozenset()
