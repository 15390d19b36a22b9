"""The default scope of a context."""

from __future__ import annotations

import asyncio
import threading
import warnings
from typing import Any

import pytest

from tk_registry import (
    MODELS,
    DefaultScope,
    InstanceError,
    Registry,
    UnknownNameError,
    init_default_scope,
)
from tk_registry.scope import canonical, current_scope


def test_there_is_none_at_first() -> None:
    assert DefaultScope.get_current_instance() is None


def test_the_newest_is_current() -> None:
    DefaultScope.get_instance("run one", scope_name="base")
    second = DefaultScope.get_instance("run two", scope_name="cat")

    assert DefaultScope.get_current_instance() is second
    assert second.scope_name == "cat"


def test_no_scope_means_the_root_scope() -> None:
    assert DefaultScope.get_instance("run", scope_name=None).scope_name == "tk"


def test_a_scope_must_be_given_and_be_a_text() -> None:
    with pytest.raises(TypeError, match="scope_name"):
        DefaultScope.get_instance("run")
    with pytest.raises(TypeError, match="scope_name must be a str, or None"):
        DefaultScope.get_instance("run", scope_name=3)


def test_mmengine_is_the_root_scope() -> None:
    assert canonical("mmengine") == "tk"
    MODELS.register_module("Norm", module=dict)

    assert MODELS.get("mmengine.Norm") is MODELS.get("tk.Norm") is dict
    with DefaultScope.overwrite_default_scope("mmengine"):
        assert DefaultScope.get_current_instance().scope_name == "mmengine"  # type: ignore[union-attr]
        assert MODELS.build({"type": "Norm"}) == {}


def test_an_import_path_below_mmengine_means_what_is_registered_under_its_last_part() -> None:
    child: Registry[Any] = Registry("model", parent=MODELS, scope="mine")
    MODELS.register_module("Norm", module=dict)

    assert MODELS.get("mmengine.model.Norm") is child.get("mmengine.model.Norm") is dict
    assert MODELS.get("mmengine.model.Nrom") is None
    with pytest.raises(UnknownNameError, match="did you mean 'Norm'"):
        MODELS.build({"type": "mmengine.model.Nrom"})


def test_overwriting_nests_and_restores_also_after_an_error() -> None:
    DefaultScope.get_instance("run", scope_name="base")
    with DefaultScope.overwrite_default_scope("cat"):
        with DefaultScope.overwrite_default_scope("dog"):
            assert current_scope() == "dog"
        with pytest.raises(ZeroDivisionError), DefaultScope.overwrite_default_scope("dog"):
            1 / 0
        with DefaultScope.overwrite_default_scope(None):
            assert current_scope() == "cat"

    assert current_scope() == "base"


def test_overwriting_leaves_no_instance_behind() -> None:
    with DefaultScope.overwrite_default_scope("cat"):
        pass

    assert DefaultScope._instance_dict == {}


def test_init_makes_the_scope_the_default() -> None:
    init_default_scope("cat")
    assert current_scope() == "cat"
    with pytest.warns(UserWarning, match="default scope was 'cat' and becomes 'dog'"):
        init_default_scope("dog")
    with pytest.warns(UserWarning, match="default scope was 'dog' and becomes 'cat'"):
        init_default_scope("cat")

    assert current_scope() == "cat"


def test_init_with_the_same_scope_or_its_alias_says_nothing() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        init_default_scope(None)
        init_default_scope("tk")
        init_default_scope("mmengine")

    assert current_scope() == "tk"


def in_thread() -> object:
    result: list[object] = []

    def look() -> None:
        try:
            result.append(current_scope())
        except InstanceError as error:
            result.append(str(error))

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    return result[0]


def test_a_new_thread_sees_the_only_scope() -> None:
    assert in_thread() is None
    DefaultScope.get_instance("run one", scope_name="mmengine")
    DefaultScope.get_instance("run two", scope_name="tk")

    assert in_thread() == "tk"


def test_a_new_thread_with_several_scopes_is_told_them() -> None:
    DefaultScope.get_instance("run one", scope_name="base")
    DefaultScope.get_instance("run two", scope_name="cat")

    assert "there are several: 'base', 'cat'" in str(in_thread())


def test_tasks_keep_their_scopes_apart() -> None:
    async def work(scope: str) -> str | None:
        with DefaultScope.overwrite_default_scope(scope):
            await asyncio.sleep(0)
            return current_scope()

    async def both() -> list[str | None]:
        return await asyncio.gather(work("cat"), work("dog"))

    assert asyncio.run(both()) == ["cat", "dog"]
