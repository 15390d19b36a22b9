"""What is said of a name that is not found."""

from __future__ import annotations

from typing import Any

import pytest

from tk_registry import (
    NameClashError,
    RefusedNameError,
    Registry,
    RegistryError,
    UnknownNameError,
    UnknownScopeError,
)


def make(name: str, module: str = "demo") -> type:
    return type(name, (), {"__module__": module, "__qualname__": name})


def test_the_nearest_name_is_suggested(family: Any) -> None:
    family.base.register_module("ResNet", module=list)
    with pytest.raises(UnknownNameError, match="did you mean 'ResNet'"):
        family.hound.resolve("Resnet")


def test_the_scopes_that_were_searched_are_listed(family: Any) -> None:
    with pytest.raises(
        UnknownNameError, match="searched registry 'animal' in scope 'little', 'hound', 'base'"
    ):
        family.little.resolve("Fish")


def test_where_the_name_does_exist_is_told(family: Any) -> None:
    family.cat.register_module("Claw", module=list)
    with pytest.raises(UnknownNameError) as caught:
        family.base.resolve("Claw")

    assert "exists in registry 'animal' (scope 'cat'): write 'cat.Claw'" in str(caught.value)


def test_another_kind_that_knows_the_name_is_told(family: Any) -> None:
    sounds: Registry[Any] = Registry("sound", scope="noise")
    sounds.register_module("Purr", module=list)
    with pytest.raises(UnknownNameError, match=r"exists in registry 'sound' \(scope 'noise'\)"):
        family.base.resolve("Purr")


def test_a_near_name_of_another_kind_is_told(family: Any) -> None:
    sounds: Registry[Any] = Registry("sound", scope="noise")
    sounds.register_module("Caterwaul", module=list)
    with pytest.raises(UnknownNameError, match="did you mean 'Caterwaul' of registry 'sound'"):
        family.base.resolve("Catterwaul")


def test_a_known_scope_that_lacks_the_name_gives_none(family: Any) -> None:
    assert family.base.get("cat.Fish") is None


def test_an_unknown_scope_is_an_error_with_the_near_one(family: Any) -> None:
    with pytest.raises(UnknownScopeError, match=r"'hund', which 'hund.X' asks for.*'hound'"):
        family.base.get("hund.X")


def test_a_long_list_of_known_names_is_cut(family: Any) -> None:
    for number in range(30):
        family.base.register_module(f"N{number:02}", module=list)
    with pytest.raises(UnknownNameError, match=r"N18, N19, and 10 more"):
        family.base.resolve("Zebra")


def test_every_error_is_a_registry_error() -> None:
    for error in (UnknownNameError, UnknownScopeError, RefusedNameError, NameClashError):
        assert issubclass(error, RegistryError)
        assert issubclass(error, KeyError)


def test_what_is_left_out_on_purpose_is_answered_with_what_to_use(family: Any) -> None:
    family.base.register_module("DogWrapper", module=list)
    family.base.advise("ApexDogWrapper", "use DogWrapper, which does the same")

    with pytest.raises(UnknownNameError, match=r"; use DogWrapper, which does the same$"):
        family.little.resolve("ApexDogWrapper")
    family.base.register_module("ApexDogWrapper", module=list)
    assert family.little.resolve("ApexDogWrapper") is list
