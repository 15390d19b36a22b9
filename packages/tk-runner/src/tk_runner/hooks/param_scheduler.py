"""Steps the schedules: by iteration, by epoch, and by metric."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from tk_registry import HOOKS

from ..interfaces.run import RunLike
from .hook import DataBatch, Hook


@HOOKS.register_module()
class ParamSchedulerHook(Hook):
    """Lets each schedule take its step when its unit is done.

    Schedules that count optimizer steps are stepped when the wrapper stepped.
    """

    priority = "LOW"

    def before_train_epoch(self, runner: RunLike) -> None:
        """Parameters that were frozen until this epoch begin to learn."""
        wrappers = runner.optim_wrapper.wrappers if runner.optim_wrapper is not None else {}
        for wrapper in wrappers.values():
            if wrapper.freezing is not None:
                wrapper.freezing.apply(runner.epoch)

    def iters_until_due(self, runner: RunLike, batch_idx: int) -> float | None:
        """After each iteration, if a schedule counts iterations."""
        counts_iters = any(not schedule.by_epoch for schedule in _all(runner.param_schedulers))
        return None if counts_iters else math.inf

    def after_train_iter(
        self,
        runner: RunLike,
        batch_idx: int,
        data_batch: DataBatch = None,
        outputs: dict[str, Any] | None = None,
    ) -> None:
        """Schedules that count iterations."""
        schedulers = runner.param_schedulers
        for scheduler in schedulers if type(schedulers) is list else _all(schedulers):
            if not scheduler.by_epoch:
                scheduler.step()

    def after_train_epoch(self, runner: RunLike) -> None:
        """Schedules that count epochs."""
        for scheduler in _all(runner.param_schedulers):
            if scheduler.by_epoch:
                scheduler.step()

    def after_val_epoch(self, runner: RunLike, metrics: dict[str, float] | None = None) -> None:
        """Schedules that follow a metric; only where a training runs."""
        if runner.train_loop is None or not metrics:
            return
        for scheduler in _all(runner.param_schedulers):
            if getattr(scheduler, "need_val_args", False):
                scheduler.step(metrics)


def _all(schedulers: Any) -> Iterable[Any]:
    if isinstance(schedulers, list):  # the usual case, at each step
        return schedulers
    if isinstance(schedulers, Mapping):
        return [one for some in schedulers.values() for one in _all(some)]
    return schedulers or ()
