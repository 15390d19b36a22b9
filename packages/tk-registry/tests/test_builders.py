"""Models, schedules and runners have builders of their own."""

from __future__ import annotations

from typing import Any

import pytest

from tk_registry import (
    MODELS,
    PARAM_SCHEDULERS,
    RUNNERS,
    DefaultScope,
    Registry,
    RegistryError,
    UnknownNameError,
    build_model_from_cfg,
    build_runner_from_cfg,
    build_scheduler_from_cfg,
)


class Container:
    def __init__(self, *parts: Any) -> None:
        self.parts = parts


class TestModels:
    def test_one_config_is_built_as_everywhere(self, net: Any) -> None:
        MODELS.register_module(module=net)

        assert MODELS.build({"type": "Net", "depth": 2}).depth == 2

    def test_a_list_is_built_into_the_registered_container(self, net: Any) -> None:
        MODELS.register_module(module=net)
        MODELS.register_module("Sequential", force=True, module=Container)
        built = build_model_from_cfg([{"type": "Net"}, {"type": "Net"}], MODELS, {"depth": 4})

        assert [part.depth for part in built.parts] == [4, 4]

    def test_a_child_registry_inherits_the_builder(self, net: Any) -> None:
        MODELS.register_module("Sequential", force=True, module=Container)
        child: Registry[Any] = Registry("model", parent=MODELS, scope="mine")
        child.register_module(module=net)

        assert len(child.build([{"type": "Net", "depth": 1}]).parts) == 1

    def test_a_list_without_a_container_says_what_to_do(self) -> None:
        MODELS.module_dict.pop("Sequential", None)
        with pytest.raises(RegistryError, match="install tk-runner, or register one"):
            MODELS.build([])

    def test_a_list_needs_a_registry_too(self) -> None:
        with pytest.raises(TypeError, match="registry must be a Registry"):
            build_model_from_cfg([], "models")  # type: ignore[arg-type]


class Falling:
    def __init__(self, end: int, by_epoch: bool = True) -> None:
        self.end, self.by_epoch = end, by_epoch

    @classmethod
    def build_iter_from_epoch(cls, end: int, epoch_length: int, by_epoch: bool = True) -> Falling:
        return cls(end * epoch_length, by_epoch=False)


class TestSchedules:
    @pytest.fixture(autouse=True)
    def register(self) -> None:
        PARAM_SCHEDULERS.register_module(module=Falling)

    def test_epochs_become_iterations_where_asked_for(self) -> None:
        cfg = {"type": "Falling", "end": 100, "convert_to_iter_based": True}
        built = build_scheduler_from_cfg(cfg, PARAM_SCHEDULERS, {"epoch_length": 10})

        assert (built.end, built.by_epoch) == (1000, False)
        assert cfg == {"type": "Falling", "end": 100, "convert_to_iter_based": True}

    def test_otherwise_the_length_is_dropped(self) -> None:
        defaults = {"epoch_length": 10}
        cfg = {"type": "Falling", "end": 100}

        assert PARAM_SCHEDULERS.build(cfg, default_args=defaults).end == 100
        assert PARAM_SCHEDULERS.build({"type": "Falling", "end": 3, "epoch_length": 10}).end == 3

    @pytest.mark.parametrize(
        "extra", [{}, {"epoch_length": 10, "by_epoch": False}], ids=["no length", "by iteration"]
    )
    def test_a_conversion_that_cannot_be_is_an_error(self, extra: dict[str, Any]) -> None:
        with pytest.raises(TypeError, match="needs epoch_length and by_epoch=True, got"):
            PARAM_SCHEDULERS.build(
                {"type": Falling, "end": 100, "convert_to_iter_based": True, **extra}
            )

    def test_check_does_not_miss_what_the_builder_takes(self) -> None:
        cfg = {"type": "Falling", "end": 100, "convert_to_iter_based": True, "epoch_length": 3}

        assert PARAM_SCHEDULERS.check(cfg) == []


class Started:
    def __init__(self, cfg: Any, scope: str | None) -> None:
        self.cfg, self.scope = cfg, scope

    @classmethod
    def from_cfg(cls, cfg: Any) -> Started:
        current = DefaultScope.get_current_instance()
        return cls(cfg, None if current is None else current.scope_name)


class TestRunners:
    def test_the_class_is_named_by_runner_type(self) -> None:
        RUNNERS.register_module("Special", module=Started)
        cfg = {"runner_type": "Special", "work_dir": "x"}
        built = RUNNERS.build(cfg)

        assert type(built) is Started
        assert built.cfg is cfg
        assert RUNNERS.build({"runner_type": Started}).scope is None

    def test_it_is_runner_by_default_and_honours_the_scope(self) -> None:
        RUNNERS.register_module("Runner", force=True, module=Started)

        assert RUNNERS.build({"_scope_": "mmengine"}).scope == "mmengine"

    def test_wrong_kinds_and_unknown_names_are_told(self) -> None:
        with pytest.raises(TypeError, match="must be a dict or another mapping"):
            RUNNERS.build(3)
        with pytest.raises(TypeError, match="registry must be a Registry"):
            build_runner_from_cfg({}, "runners")  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="'runner_type' must be the name of a runner"):
            RUNNERS.build({"runner_type": 3})
        with pytest.raises(UnknownNameError, match="no runner is called 'Sprinter'"):
            RUNNERS.build({"runner_type": "Sprinter"})
