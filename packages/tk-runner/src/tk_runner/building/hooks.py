"""The hooks of a run: the default ones, changed by name, then the user's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tk_registry import HOOKS, did_you_mean

from ..errors import InvalidSettingsError
from ..hooks import Hook, HookPoints

# The names under which configs change a default hook, in the order of registration.
DEFAULT_HOOKS: dict[str, Mapping[str, Any]] = {
    "runtime_info": {"type": "RuntimeInfoHook"},
    "timer": {"type": "IterTimerHook"},
    "sampler_seed": {"type": "DistSamplerSeedHook"},
    "logger": {"type": "LoggerHook"},
    "param_scheduler": {"type": "ParamSchedulerHook"},
    "checkpoint": {"type": "CheckpointHook", "interval": 1},
    "nan_guard": {"type": "NaNGuardHook"},
}


def register_default_hooks(points: HookPoints, given: Mapping[str, Any] | None) -> None:
    """Add the default hooks; ``None`` for one of their names leaves it out, a new name adds one."""
    if given is not None and not isinstance(given, Mapping):
        raise InvalidSettingsError(
            f"default_hooks must be a dict from names to hooks, got {type(given).__name__}; "
            "a list of hooks belongs into custom_hooks"
        )
    changes = dict(given or {})
    for name, value in changes.items():
        if value is None and name not in DEFAULT_HOOKS:
            raise InvalidSettingsError(
                f"default_hooks.{name} is None, but no default hook has that name; "
                f"{did_you_mean(name, DEFAULT_HOOKS)}"
            )
    for name, hook in {**DEFAULT_HOOKS, **changes}.items():
        if hook is not None:
            register_hook(points, _with_type(name, hook))


def _with_type(name: str, hook: Any) -> Any:
    """A config under the name of a default hook need not repeat its type."""
    if not isinstance(hook, Mapping) or "type" in hook:
        return hook
    if name not in DEFAULT_HOOKS:
        raise InvalidSettingsError(
            f"default_hooks.{name} has no type, and no default hook has that name; "
            f"{did_you_mean(name, DEFAULT_HOOKS)}"
        )
    return {"type": DEFAULT_HOOKS[name]["type"], **hook}


def register_custom_hooks(points: HookPoints, given: Sequence[Any] | None) -> None:
    """Add the user's hooks behind the default ones of equal priority."""
    if isinstance(given, (str, Mapping)):
        raise InvalidSettingsError(
            f"custom_hooks must be a list of hooks, got {type(given).__name__}; put [ ] around it"
        )
    for hook in given or ():
        register_hook(points, hook)


def register_hook(points: HookPoints, hook: Any, priority: Any = None) -> Hook:
    """Add one hook; a given priority beats the config's, which beats the class's.

    Raises:
        TypeError: neither a hook nor the config of one.
    """
    if isinstance(hook, Mapping):
        arguments = dict(hook)
        own = arguments.pop("priority", None)
        built = HOOKS.build(arguments)
        priority = priority if priority is not None else own
    else:
        built = hook
    if not isinstance(built, Hook):
        raise TypeError(f"a hook is a Hook or the config of one, got {built!r}")
    points.add(built, priority)
    return built
