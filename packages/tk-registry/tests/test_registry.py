"""`Registry`: building through a tree."""

from __future__ import annotations

from typing import Any

from tk_registry import Registry, build_from_cfg


def shout(cfg: Any, *args: Any, registry: Registry[Any], **kwargs: Any) -> Any:
    return ("shouted", cfg, args, kwargs, registry)


def test_build_calls_the_build_function_with_the_registry() -> None:
    loud: Registry[Any] = Registry("sound", build_func=shout, scope="noise")

    assert loud.build({"a": 1}, 2, more=3) == ("shouted", {"a": 1}, (2,), {"more": 3}, loud)


def test_children_inherit_the_build_function_also_when_it_is_set_later() -> None:
    parent: Registry[Any] = Registry("sound", scope="noise")
    child: Registry[Any] = Registry("sound", parent=parent, scope="music")
    before = child.build_func
    parent.build_func = shout

    assert before is build_from_cfg
    assert child.build_func is shout


def test_an_own_build_function_goes_before_that_of_the_parent() -> None:
    parent: Registry[Any] = Registry("sound", build_func=shout, scope="noise")
    child: Registry[Any] = Registry("sound", build_from_cfg, parent=parent, scope="music")

    assert child.build_func is build_from_cfg


def test_build_is_typed_by_the_registry() -> None:
    numbers: Registry[complex] = Registry("number", scope="noise")
    numbers.register_module(module=complex)
    built: complex = numbers.build({"type": "complex", "real": 1, "imag": 2})

    assert built == 1 + 2j


def test_repr_is_a_table_sorted_by_name() -> None:
    sounds: Registry[Any] = Registry("sound", scope="noise")
    sounds.register_module("growl", module=dict)
    sounds.register_module("bark", module=list)

    assert repr(sounds) == (
        "Registry of sound (noise)\n"
        "name   object\n"
        "-----  ------\n"
        "bark   builtins.list\n"
        "growl  builtins.dict"
    )
