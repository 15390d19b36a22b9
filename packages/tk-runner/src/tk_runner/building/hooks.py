"""The hooks of a run: the default ones, changed by name, then the user's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tk_registry import HOOKS

from ..hooks import Hook, HookPoints
from ..settings.default_hooks import DEFAULT_HOOKS, with_default_type


def register_default_hooks(points: HookPoints, given: Mapping[str, Any] | None) -> None:
    """Add the default hooks; ``None`` for one of their names leaves it out, a new name adds one."""
    for name, hook in {**DEFAULT_HOOKS, **(given or {})}.items():
        if hook is not None:
            register_hook(points, with_default_type(name, hook))


def register_custom_hooks(points: HookPoints, given: Sequence[Any] | None) -> None:
    """Add the user's hooks behind the default ones of equal priority."""
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
