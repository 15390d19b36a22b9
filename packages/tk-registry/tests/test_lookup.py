"""In which order a tree of registries is searched."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tk_registry import (
    RefusedNameError,
    Registry,
)


def make(name: str, module: str = "demo") -> type:
    return type(name, (), {"__module__": module, "__qualname__": name})


def test_a_child_registry_shadows_its_parent(family: Any) -> None:
    family.base.register_module("Nose", module=list)
    family.hound.register_module("Nose", module=tuple)

    assert family.hound.get("Nose") is tuple
    assert family.base.get("Nose") is list


def test_an_unscoped_name_climbs_to_the_root(family: Any) -> None:
    family.base.register_module("Nose", module=list)

    assert family.little.get("Nose") is list


def test_an_unscoped_name_finds_neither_children_nor_siblings(family: Any) -> None:
    family.hound.register_module("Nose", module=list)

    assert family.base.get("Nose") is None
    assert family.cat.get("Nose") is None


def test_the_own_scope_as_prefix_does_not_climb(family: Any) -> None:
    family.base.register_module("Nose", module=list)
    family.hound.register_module("Ear", module=tuple)

    assert family.hound.get("hound.Ear") is tuple
    assert family.hound.get("hound.Nose") is None


def test_a_sibling_is_reached_by_its_scope(family: Any) -> None:
    family.hound.register_module("Nose", module=list)

    assert family.cat.get("hound.Nose") is list


def test_the_root_is_reached_by_its_scope(family: Any) -> None:
    family.base.register_module("Nose", module=list)
    family.little.register_module("Nose", module=tuple)

    assert family.little.get("base.Nose") is list


def test_a_grandchild_is_reached_by_its_full_chain_from_anywhere(family: Any) -> None:
    family.little.register_module("Nose", module=list)

    for start in (family.base, family.hound, family.cat, family.little):
        assert start.get("hound.little.Nose") is list
    assert family.base.get("little.Nose") is None


def test_looking_is_no_import(family: Any, modules: Path) -> None:
    (modules / "barks.py").write_text("raise SystemError('imported')\n")
    registry: Registry[Any] = Registry("sound", scope="noise", locations=["barks"])

    assert "Bark" not in registry
    assert "torch.nn.ReLU" not in registry
    assert 3 not in registry


def test_a_name_must_be_a_str(family: Any) -> None:
    with pytest.raises(TypeError, match="a name must be a str, got int: 3"):
        family.base.get(3)


@pytest.mark.parametrize(
    ("key", "parts"),
    [("A", (None, "A")), ("s.A", ("s", "A")), ("s.t.A", ("s", "t.A")), ("", (None, ""))],
)
def test_a_key_splits_at_its_first_dot(key: str, parts: tuple[str | None, str]) -> None:
    assert Registry.split_scope_key(key) == parts


def test_a_registered_object_is_reached_by_its_import_path(family: Any, modules: Path) -> None:
    (modules / "own_dogs.py").write_text("class Dog: ...\nclass Cur: ...\n")
    import own_dogs

    family.base.register_module(module=own_dogs.Dog)

    assert family.little.get("own_dogs.Dog") is own_dogs.Dog
    with pytest.raises(RefusedNameError):
        family.little.get("own_dogs.Cur")
