"""From mappings to objects."""

from __future__ import annotations

import collections
import functools
import threading
import types
from typing import Any

import pytest

from tk_registry import (
    ArgumentError,
    DefaultScope,
    ManagerMixin,
    MissingTypeError,
    Registry,
    UnknownNameError,
    UnknownScopeError,
    build_from_cfg,
)


class Traced(dict[str, Any]):
    """A config node that knows its file, as tk-config's do."""

    def __init__(self, lines: dict[str, int], **values: Any) -> None:
        super().__init__(values)
        self.lines = lines

    def __config_origin__(self, path: str) -> str | None:
        return f"cfg.py:{self.lines[path]}" if path in self.lines else None


class TestBuilding:
    @pytest.mark.parametrize(
        "kind", [dict, collections.OrderedDict, types.MappingProxyType, collections.UserDict]
    )
    def test_any_mapping_will_do(self, layers: Registry[Any], kind: Any) -> None:
        built = layers.build(kind({"type": "Net", "depth": 3}))

        assert built.depth == 3

    def test_the_config_is_not_changed(self, layers: Registry[Any]) -> None:
        cfg = {"type": "Net", "depth": 3, "_scope_": "base"}
        layers.build(cfg)

        assert cfg == {"type": "Net", "depth": 3, "_scope_": "base"}

    def test_default_args_fill_what_is_missing(self, layers: Registry[Any]) -> None:
        defaults = types.MappingProxyType({"type": "Net", "depth": 1, "width": 2.0})
        built = build_from_cfg({"depth": 3}, layers, defaults)

        assert (built.depth, built.width) == (3, 2.0)

    def test_type_may_be_the_callable_itself(self, layers: Registry[Any], net: Any) -> None:
        assert layers.build({"type": net, "depth": 3}).depth == 3
        assert layers.build({"type": functools.partial(net, depth=2)}).depth == 2

    def test_a_registered_partial_merges_its_arguments(
        self, layers: Registry[Any], net: Any
    ) -> None:
        layers.register_module("deep", module=functools.partial(net, depth=9))
        built = layers.build({"type": "deep", "width": 0.5})

        assert (built.depth, built.width) == (9, 0.5)

    def test_a_managed_class_is_built_once_for_a_name(self, layers: Registry[Any]) -> None:
        @layers.register_module
        class Board(ManagerMixin):
            def __init__(self, name: str) -> None:
                super().__init__(name)

        first = layers.build({"type": "Board", "name": "one"})

        assert layers.build({"type": "Board", "name": "one"}) is first
        assert layers.build({"type": "Board", "name": "two"}) is not first

    def test_the_scope_key_holds_for_what_the_constructor_builds_and_no_longer(
        self, family: Any
    ) -> None:
        @family.hound.register_module
        class Nose: ...

        @family.hound.register_module
        class Dog:
            def __init__(self) -> None:
                self.nose = family.base.build({"type": "Nose"})

        dog = family.base.build({"type": "Dog", "_scope_": "hound"})

        assert isinstance(dog.nose, Nose)
        with pytest.raises(UnknownNameError):
            family.base.build({"type": "Nose"})

    def test_the_scope_is_restored_after_a_constructor_raised(self, family: Any) -> None:
        @family.hound.register_module
        class Dog:
            def __init__(self) -> None:
                raise RuntimeError("bites")

        with pytest.raises(RuntimeError, match="bites"):
            family.base.build({"type": "Dog", "_scope_": "hound"})

        assert DefaultScope.get_current_instance() is None

    def test_no_scope_changes_nothing(self, layers: Registry[Any]) -> None:
        assert layers.build({"type": "Net", "depth": 3, "_scope_": None}).depth == 3

    def test_the_default_scope_decides_between_equal_names(self, family: Any) -> None:
        family.hound.register_module("Legs", module=lambda: "hound's")
        family.cat.register_module("Legs", module=lambda: "cat's")
        with DefaultScope.overwrite_default_scope("cat"):
            assert family.base.build({"type": "Legs"}) == "cat's"
            assert family.hound.build({"type": "Legs"}) == "cat's"
            assert family.base.build({"type": "hound.Legs"}) == "hound's"


class TestWhatIsWrong:
    @pytest.mark.parametrize("cfg", [3, "Net", [("type", "Net")], None])
    def test_something_else_than_a_mapping(self, layers: Registry[Any], cfg: Any) -> None:
        with pytest.raises(TypeError, match="a layer from must be a dict or another mapping"):
            layers.build(cfg)

    def test_something_else_than_a_registry(self) -> None:
        with pytest.raises(TypeError, match="registry must be a Registry"):
            build_from_cfg({"type": "Net"}, "layers")  # type: ignore[arg-type]

    def test_default_args_of_another_kind(self, layers: Registry[Any]) -> None:
        with pytest.raises(TypeError, match="default_args must be a dict"):
            build_from_cfg({"type": "Net"}, layers, 3)  # type: ignore[arg-type]

    def test_no_type(self, layers: Registry[Any]) -> None:
        with pytest.raises(MissingTypeError, match="needs the key 'type', got only: depth"):
            layers.build({"depth": 3})

    def test_a_type_that_is_neither_name_nor_callable(self, layers: Registry[Any]) -> None:
        with pytest.raises(TypeError, match="'type' must be the name of a layer or a callable"):
            layers.build({"type": 3})

    def test_a_wrong_type_has_its_place(self, layers: Registry[Any]) -> None:
        with pytest.raises(ArgumentError, match=r"^cfg\.py:7: 'type' must be"):
            layers.build(Traced({"type": 7}, type=3))

    def test_an_unknown_name_is_a_key_error(self, layers: Registry[Any]) -> None:
        with pytest.raises(KeyError, match=r"no layer is called 'net'.*did you mean 'Net'"):
            layers.build({"type": "net"})

    def test_an_unknown_scope_never_builds_from_another_registry(
        self, layers: Registry[Any]
    ) -> None:
        with pytest.raises(UnknownScopeError, match=r"no registry has the scope 'bass'.*'base'"):
            layers.build({"type": "Net", "depth": 3, "_scope_": "bass"})
        with (
            DefaultScope.overwrite_default_scope("bass"),
            pytest.raises(UnknownScopeError, match="'bass'"),
        ):
            layers.build({"type": "Net", "depth": 3})

    def test_a_wrong_argument_names_class_argument_and_nearest(self, layers: Registry[Any]) -> None:
        with pytest.raises(
            ArgumentError, match=r"layer \S*Net: there is no argument 'dept'; did you mean 'depth'"
        ):
            layers.build({"type": "Net", "depth": 1, "dept": 3})

    def test_wrong_and_missing_arguments_are_told_together(self, layers: Registry[Any]) -> None:
        with pytest.raises(TypeError, match=r"no argument 'with'.*'depth' is missing") as caught:
            layers.build({"type": "Net", "with": 3})

        assert isinstance(caught.value.__cause__, TypeError)

    def test_the_place_in_the_config_comes_first(self, layers: Registry[Any]) -> None:
        cfg = Traced({"type": 7, "dept": 9}, type="Net", depth=1, dept=3)
        with pytest.raises(ArgumentError, match=r"^cfg\.py:9: layer"):
            layers.build(cfg)

    def test_an_unknown_scope_has_its_place(self, layers: Registry[Any]) -> None:
        cfg = Traced({"type": 7, "_scope_": 8}, type="Net", depth=1, _scope_="nowhere")
        with pytest.raises(UnknownScopeError, match=r"^cfg\.py:8: no registry has the scope"):
            layers.build(cfg)

    def test_a_missing_argument_has_the_place_of_the_type(self, layers: Registry[Any]) -> None:
        with pytest.raises(ArgumentError, match=r"^cfg\.py:7: layer.*'depth' is missing"):
            layers.build(Traced({"type": 7}, type="Net"))

    def test_an_error_deep_inside_has_its_path(self, layers: Registry[Any]) -> None:
        @layers.register_module
        class Tower:
            def __init__(self, stages: list[Any]) -> None:
                self.stages = [layers.build(stage) for stage in stages]

        deep = {"type": "Net", "depth": 1, "dept": 2}
        cfg = {"type": "Tower", "stages": [{"type": "Tower", "stages": [deep]}]}
        with pytest.raises(ArgumentError, match=r"^stages\.0\.stages\.0: layer") as caught:
            layers.build(cfg)

        assert caught.value.path == "stages.0.stages.0"

    def test_an_error_of_the_class_itself_keeps_its_type_and_gets_a_note(
        self, layers: Registry[Any]
    ) -> None:
        @layers.register_module
        class Sulky:
            def __init__(self) -> None:
                raise TypeError("not today")

        with pytest.raises(TypeError, match=r"^not today") as caught:
            layers.build(Traced({"type": 4}, type="Sulky"))

        assert type(caught.value) is TypeError
        assert str(caught.value) == "not today"
        (note,) = caught.value.__notes__
        assert note.startswith("while building the layer ")
        assert note.endswith("Sulky (cfg.py:4)")


def test_two_threads_under_different_scopes_never_mix(family: Any) -> None:
    family.hound.register_module("Legs", module=lambda: "hound")
    family.cat.register_module("Legs", module=lambda: "cat")
    wrong: list[str] = []

    def work(scope: str) -> None:
        with DefaultScope.overwrite_default_scope(scope):
            for _ in range(10_000):
                if family.base.build({"type": "Legs"}) != scope:
                    wrong.append(scope)

    threads = [threading.Thread(target=work, args=(scope,)) for scope in ("hound", "cat")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert not wrong
