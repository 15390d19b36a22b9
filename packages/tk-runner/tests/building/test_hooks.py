from __future__ import annotations

import pytest

from tk_runner import Hook
from tk_runner.building.hooks import (
    register_default_hooks,
    register_hook,
)
from tk_runner.hooks import HookPoints, LoggerHook
from tk_runner.settings.default_hooks import DEFAULT_HOOKS


def names(points: HookPoints) -> list[str]:
    return [type(hook).__name__ for hook in points.hooks]


def test_the_default_hooks_stand_in_order_of_priority() -> None:
    points = HookPoints()

    register_default_hooks(points, None)

    assert names(points) == [
        "RuntimeInfoHook",
        "IterTimerHook",
        "DistSamplerSeedHook",
        "LoggerHook",
        "NaNGuardHook",
        "ParamSchedulerHook",
        "CheckpointHook",
    ]


@pytest.mark.parametrize("name", DEFAULT_HOOKS)
def test_a_default_hook_can_be_left_out(name: str) -> None:
    points = HookPoints()

    register_default_hooks(points, {name: None})

    assert DEFAULT_HOOKS[name]["type"] not in names(points)


def test_a_default_hook_can_be_changed_and_one_added() -> None:
    points = HookPoints()

    register_default_hooks(points, {"logger": LoggerHook(interval=3), "mine": Hook()})

    (logger,) = [hook for hook in points.hooks if isinstance(hook, LoggerHook)]
    assert logger.interval == 3
    assert "Hook" in names(points)


def test_a_given_priority_beats_the_config_which_beats_the_class() -> None:
    points = HookPoints()
    cfg = {"type": "EmptyCacheHook", "priority": "LOW"}

    assert register_hook(points, cfg).priority == "LOW"
    assert register_hook(points, cfg, "HIGH").priority == "HIGH"
    assert register_hook(points, {"type": "EmptyCacheHook"}).priority == "NORMAL"
    assert cfg == {"type": "EmptyCacheHook", "priority": "LOW"}


def test_something_else_is_refused() -> None:
    with pytest.raises(TypeError, match="got 3"):
        register_hook(HookPoints(), 3)


def test_a_default_hook_is_changed_without_repeating_its_type() -> None:
    points = HookPoints()

    register_default_hooks(points, {"logger": {"interval": 3}})

    (logger,) = [hook for hook in points.hooks if isinstance(hook, LoggerHook)]
    assert logger.interval == 3
