"""Hooks bound to their points: what a run calls, looked up once.

The set of hooks is bound when a run begins; a point then costs one dict look-up
and the calls of the hooks that act there, nothing for those that do not.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from .hook import SHARED, Hook, acts_at
from .priority import get_priority

logger = logging.getLogger("tk.runner")


class HookPoints:
    """The hooks of a run in order of priority, and what each point calls."""

    def __init__(self) -> None:
        self._hooks: list[Hook] = []
        self._bound: dict[str, tuple[Callable[..., None], ...]] = {}
        self.version = 0  # another number when the hooks are others

    @property
    def hooks(self) -> Sequence[Hook]:
        """The hooks, first to run first."""
        return self._hooks

    def add(self, hook: Any, priority: int | str | None = None) -> None:
        """Put a hook behind those of equal or smaller priority number."""
        if priority is not None:
            hook.priority = priority
        rank = _rank(hook)
        place = len(self._hooks)
        while place > 0 and _rank(self._hooks[place - 1]) > rank:
            place -= 1
        self._hooks.insert(place, hook)
        self._bound.clear()
        self.version += 1

    def at(self, point: str) -> tuple[Callable[..., None], ...]:
        """The bound methods that ``point`` calls."""
        found = self._bound.get(point)
        if found is None:
            found = tuple(method for _, method in self.acting_at(point))
            self._bound[point] = found
        return found

    def acting_at(self, point: str) -> list[tuple[Any, Callable[..., None]]]:
        """Each hook that acts at ``point``, with what is called."""
        return [(hook, _method(hook, point)) for hook in self._hooks if acts_at(hook, point)]

    def call_all(self, point: str, runner: Any, **arguments: Any) -> None:
        """Call ``point`` of every hook though some may fail; failures go to the run's log."""
        for method in self.at(point):
            try:
                method(runner, **arguments)
            except Exception:  # every hook gets its turn, and the run's own error stays in front
                runner.logger.exception("the hook %s failed at %s", _owner(method), point)

    def describe(self, stages: Iterable[str] = Hook.stages) -> str:
        """Which hooks run where, as a text of one block a stage."""
        blocks = []
        for stage in stages:
            acting = [hook for hook in self._hooks if acts_at(hook, stage)]
            if acting:
                rows = [f"({_label(hook):<12}) {type(hook).__name__:<35}" for hook in acting]
                blocks.append("\n".join([f"{stage}:", *rows, "-" * 20]))
        return "\n".join(blocks)


def _rank(hook: Any) -> int:
    return get_priority(getattr(hook, "priority", "NORMAL"))


def _label(hook: Any) -> str:
    value = getattr(hook, "priority", "NORMAL")
    return str(getattr(value, "name", value))


def _method(hook: Any, point: str) -> Callable[..., None]:
    """The method for a point; at iterations, of a hook that serves all modes by one, that one."""
    method: Callable[..., None] = getattr(hook, point)
    if (
        point in SHARED
        and point.endswith("_iter")
        and getattr(method, "__func__", None) is getattr(Hook, point)
    ):
        return partial(getattr(hook, SHARED[point]), mode=point.split("_")[1])
    return method


def _owner(method: Any) -> str:
    method = getattr(method, "func", method)  # of one that serves all modes
    return type(getattr(method, "__self__", method)).__name__


def name_the_place(error: BaseException, method: Callable[..., None], point: str) -> None:
    """Let the error of a hook say which hook it was, and at which point."""
    note = f"raised by the hook {_owner(method)} at {point}"
    if hasattr(error, "add_note"):
        error.add_note(note)
    else:  # Python 3.10 has no notes in its tracebacks
        logger.error(note)
