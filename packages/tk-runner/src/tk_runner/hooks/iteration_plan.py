"""Which hooks are called around an iteration of training, found out before it is needed.

Most hooks act in each iteration. One that acts now and then says when
(``Hook.iters_until_due``) and is left alone until then; once any of these is due, every
hook is called as usual, in order of priority, and looks for itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ..interfaces.run import HookPointsLike, RunLike
from .hook import Hook

Calls = tuple[Callable[..., None], ...]


class IterationPlan:
    """The calls before and after each iteration of a training.

    Args:
        points: the hooks of the run.
    """

    def __init__(self, points: HookPointsLike) -> None:
        self._points = points
        self._version = -1  # of the points, when the calls were bound
        self._due_at: float = 0  # the iteration after which all are called again
        self._before: Calls = ()
        self._usual: tuple[Calls, Calls] = ((), ())
        self._waiting: list[Hook] = []  # those that are not called in each iteration

    def calls(self, runner: RunLike, iteration: int, batch_idx: int) -> tuple[Calls, Calls]:
        """What to call before and after an iteration; asked for each, in order."""
        points = self._points
        if iteration < self._due_at and batch_idx and self._version == points.version:
            return self._usual
        if not batch_idx or self._version != points.version:
            self._bind(runner, batch_idx)
        wait = min([_wait(hook, runner, batch_idx) for hook in self._waiting], default=math.inf)
        self._due_at = iteration + max(wait, 1)
        return self._usual if wait else (self._before, points.at("after_train_iter"))

    def _bind(self, runner: RunLike, batch_idx: int) -> None:
        """Sort the hooks into those that are always called and those that wait."""
        points = self._points
        self._version = points.version
        self._before = points.at("before_train_iter")
        self._waiting = [
            hook
            for hook in points.hooks
            if _speaks_for_itself(hook) and hook.iters_until_due(runner, batch_idx) is not None
        ]
        waiting = {id(hook) for hook in self._waiting}
        acting = points.acting_at("after_train_iter")
        self._usual = self._before, tuple(call for hook, call in acting if id(hook) not in waiting)


def _wait(hook: Hook, runner: RunLike, batch_idx: int) -> float:
    wait = hook.iters_until_due(runner, batch_idx)
    return 0 if wait is None else wait


def _speaks_for_itself(hook: Any) -> bool:
    """Whether what a hook says about its waiting is about the method that it has.

    A subclass that overrides ``after_train_iter`` alone acts in each iteration again.
    """
    kinds = type(hook).__mro__
    acts = {"after_train_iter", "_after_iter"}
    if not acts.isdisjoint(vars(hook)):
        return False
    says = next((kind for kind in kinds if "iters_until_due" in vars(kind)), None)
    does = next((kind for kind in kinds if not acts.isdisjoint(vars(kind))), None)
    return says is not None and does is not None and kinds.index(says) <= kinds.index(does)
