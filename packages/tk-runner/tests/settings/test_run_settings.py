from __future__ import annotations

import inspect
from dataclasses import fields
from typing import Any

import pytest

from tk_config import Config
from tk_runner import Runner
from tk_runner.settings.run_settings import RunSettings


def problems(**arguments: Any) -> str:
    settings = RunSettings.of({"model": {}, "work_dir": "w", **arguments})
    return "\n".join(map(str, settings.problems()))


def test_what_every_run_needs_is_asked_for() -> None:
    text = "\n".join(map(str, RunSettings.of({}).problems()))

    assert "no 'model'" in text
    assert "no 'work_dir'" in text


def test_a_whole_config_may_be_given() -> None:
    settings = RunSettings.of(dict(Config({"model": {}, "work_dir": "w", "my_variable": 1})))

    assert settings.problems() == []


def test_every_argument_of_the_runner_reaches_the_settings() -> None:
    marks = {name: object() for name in inspect.signature(Runner).parameters}
    settings = RunSettings.of({**marks, "work_dir": "w", "cfg": None})

    groups = [settings, settings.train, settings.val, settings.test]
    groups += [settings.start, settings.placement, settings.hooks]
    held = [getattr(group, field.name) for group in groups for field in fields(group)]
    missing = [name for name, mark in marks.items() if not any(mark is one for one in held)]
    assert missing == ["work_dir", "cfg"]


@pytest.mark.parametrize(
    "option",
    [
        {"model_wrapper_cfg": {"type": "MMDistributedDataParallel"}},
        {"sync_bn": "torch"},
        {"find_unused_parameters": True},
    ],
    ids=lambda option: next(iter(option)),
)
def test_options_of_the_default_strategy_do_not_go_with_another_one(option: dict[str, Any]) -> None:
    name = next(iter(option))

    assert f"{name}: it is given beside strategy" in problems(
        strategy={"type": "DDPStrategy"}, **option
    )
    assert problems(**option) == ""


@pytest.mark.parametrize("name", ["randomness", "env_cfg", "auto_scale_lr", "model_wrapper_cfg"])
def test_settings_that_are_a_mapping_are_asked_to_be_one(name: str) -> None:
    assert f"{name}: {name} must be a dict, got 3" in problems(**{name: 3})


def test_a_level_of_the_log_that_is_none_is_told() -> None:
    assert "log_level must be a number, or one of DEBUG" in problems(log_level="VERBOSE")
    assert problems(log_level="warning") == ""
