"""Registering and finding."""

from __future__ import annotations

import functools
import re
import threading
from pathlib import Path
from typing import Any

import pytest

from tk_registry import (
    DefaultScope,
    InvalidUseError,
    NameClashError,
    RegistrationImportError,
    Registry,
    UnknownScopeError,
)


def make(name: str, module: str = "demo") -> type:
    return type(name, (), {"__module__": module, "__qualname__": name})


class TestRegistering:
    def test_a_class_gets_its_own_name(self, family: Any) -> None:
        @family.base.register_module()
        class Dog: ...

        assert family.base.get("Dog") is Dog

    def test_the_decorator_works_without_parentheses(self, family: Any) -> None:
        @family.base.register_module
        class Dog: ...

        assert isinstance(Dog, type)
        assert family.base.get("Dog") is Dog

    def test_a_function_can_be_registered(self, family: Any) -> None:
        @family.base.register_module
        def bark() -> str:
            return "wuff"

        assert family.base.get("bark") is bark

    def test_direct_registration_gives_the_object_back(self, family: Any) -> None:
        assert family.base.register_module("Dog", module=dict) is dict
        assert family.base.get("Dog") is dict

    def test_several_names_are_aliases(self, family: Any) -> None:
        family.base.register_module(name=["Dog", "Cur"], module=dict)

        assert family.base.get("Dog") is family.base.get("Cur") is dict
        assert len(family.base) == 2

    def test_partials_and_lambdas_need_a_name(self, family: Any) -> None:
        for nameless in (functools.partial(dict, a=1), lambda: None):
            with pytest.raises(InvalidUseError, match="pass one: name="):
                family.base.register_module(module=nameless)
            family.base.register_module("given", force=True, module=nameless)

            assert family.base.get("given") is nameless

    def test_a_class_defined_again_replaces_the_old_one(self, family: Any) -> None:
        old, new = make("Dog"), make("Dog")
        family.base.register_module(module=old)
        family.base.register_module(module=new)

        assert family.base.get("Dog") is new

    def test_a_clash_names_both_places(self, family: Any, modules: Path) -> None:
        (modules / "first_dog.py").write_text("\nclass Dog: ...\n")
        (modules / "second_dog.py").write_text("\n\nclass Dog: ...\n")
        import first_dog
        import second_dog

        family.base.register_module(module=first_dog.Dog)
        with pytest.raises(NameClashError) as caught:
            family.base.register_module(module=second_dog.Dog)

        assert f"{modules}/first_dog.py:2" in str(caught.value)
        assert f"{modules}/second_dog.py:3" in str(caught.value)
        assert "force=True" in str(caught.value)
        assert isinstance(caught.value, KeyError)

    def test_different_lambdas_clash(self, family: Any) -> None:
        family.base.register_module("given", module=lambda: 1)
        with pytest.raises(NameClashError, match="'given' is registered in registry 'animal'"):
            family.base.register_module("given", module=lambda: 2)

    def test_a_clash_of_one_alias_registers_none_of_them(self, family: Any) -> None:
        family.base.register_module("taken", module=dict)
        with pytest.raises(NameClashError):
            family.base.register_module(["free", "taken"], module=list)

        assert "free" not in family.base

    def test_force_replaces(self, family: Any) -> None:
        family.base.register_module("Dog", module=dict)
        family.base.register_module("Dog", force=True, module=list)

        assert family.base.get("Dog") is list

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            ({"name": 1}, "name must be a str"),
            ({"name": ["a", 1]}, "name must be a str"),
            ({"name": []}, "name must be a str"),
            ({"force": 1, "module": dict}, "force must be True or False"),
            ({"module": 3}, "only a class or another callable"),
        ],
    )
    def test_wrong_arguments_are_a_type_error(
        self, family: Any, arguments: dict[str, Any], said: str
    ) -> None:
        with pytest.raises(TypeError, match=said):
            family.base.register_module(**arguments)


class TestLocations:
    def test_they_are_imported_at_the_first_miss_and_once(
        self, modules: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (modules / "kennel.py").write_text(
            "import kennel_count\nkennel_count.times += 1\n"
            "from kennel_registry import DOGS\n"
            "@DOGS.register_module\nclass Dog: ...\n"
        )
        (modules / "kennel_count.py").write_text("times = 0\n")
        (modules / "kennel_registry.py").write_text(
            "from tk_registry import Registry\n"
            "DOGS = Registry('dog', scope='kennel', locations=['kennel'])\n"
        )
        from kennel_count import __dict__ as counted
        from kennel_registry import DOGS

        assert len(DOGS) == 0
        assert DOGS.get("Dog").__name__ == "Dog"
        assert DOGS.get("Cat") is None
        assert counted["times"] == 1

    def test_a_broken_one_is_named_with_its_cause_each_time(self, modules: Path) -> None:
        (modules / "broken_kennel.py").write_text("raise ValueError('no dogs today')\n")
        dogs: Registry[Any] = Registry("dog", scope="broken", locations=["broken_kennel"])

        for _ in range(2):
            with pytest.raises(
                RegistrationImportError, match=r"'broken_kennel'.*ValueError: no dogs today"
            ) as caught:
                dogs.get("Dog")
            assert isinstance(caught.value.__cause__, ValueError)
            assert isinstance(caught.value, ImportError)

    def test_a_single_text_is_refused(self) -> None:
        with pytest.raises(TypeError, match=re.escape("write ['kennel']")):
            Registry("dog", scope="kennel", locations="kennel")


class TestUnderAScope:
    def test_it_is_the_registry_of_that_scope(self, family: Any) -> None:
        assert family.cat.under("hound") is family.hound
        assert family.base.under("little") is family.little

    def test_another_kind_without_that_scope_stays_itself(self, family: Any) -> None:
        sounds: Registry[Any] = Registry("sound", scope="noise")

        assert sounds.under("hound") is sounds

    def test_an_unknown_scope_is_an_error(self, family: Any) -> None:
        with pytest.raises(UnknownScopeError, match="no registry has the scope 'fish'"):
            family.base.under("fish")

    def test_switching_makes_it_the_default_inside_and_restores_it(self, family: Any) -> None:
        with family.base.switch_scope_and_registry("hound") as outer:
            with family.base.switch_scope_and_registry("cat") as inner:
                assert inner is family.cat
            with family.base.switch_scope_and_registry(None) as same:
                assert same is outer is family.hound
        assert DefaultScope.get_current_instance() is None

    def test_switching_restores_after_an_error(self, family: Any) -> None:
        with (
            pytest.raises(ZeroDivisionError),
            family.base.switch_scope_and_registry("hound"),
        ):
            1 / 0

        assert DefaultScope.get_current_instance() is None


def test_threads_that_register_and_look_up_never_corrupt(family: Any) -> None:
    classes = {f"C{number}": make(f"C{number}") for number in range(400)}
    wrong: list[str] = []
    start = threading.Barrier(8)

    def work(offset: int) -> None:
        start.wait()
        for name in list(classes)[offset::8]:
            family.hound.register_module(name, module=classes[name])
            for other, thing in classes.items():
                found = family.little.get(other)
                if found is not None and found is not thing:
                    wrong.append(other)

    threads = [threading.Thread(target=work, args=(offset,)) for offset in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert not wrong
    assert family.hound.module_dict == classes
