"""The hooks that every run has, by the names under which configs change them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# In the order of registration.
DEFAULT_HOOKS: dict[str, Mapping[str, Any]] = {
    "runtime_info": {"type": "RuntimeInfoHook"},
    "timer": {"type": "IterTimerHook"},
    "sampler_seed": {"type": "DistSamplerSeedHook"},
    "logger": {"type": "LoggerHook"},
    "param_scheduler": {"type": "ParamSchedulerHook"},
    "checkpoint": {"type": "CheckpointHook", "interval": 1},
    "nan_guard": {"type": "NaNGuardHook"},
}


def with_default_type(name: str, hook: Any) -> Any:
    """A config under the name of a default hook need not repeat its type."""
    if isinstance(hook, Mapping) and "type" not in hook and name in DEFAULT_HOOKS:
        return {"type": DEFAULT_HOOKS[name]["type"], **hook}
    return hook
