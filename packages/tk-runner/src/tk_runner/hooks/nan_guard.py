"""A run whose loss is no number any more ends, at the latest when the next line is logged."""

from __future__ import annotations

import math
from typing import Any

from tk_registry import HOOKS

from ..errors import NonFiniteLossError
from ..view import RunnerView
from .hook import DataBatch, Hook


@HOOKS.register_module()
class NaNGuardHook(Hook):
    """Looks at the losses whenever somebody has read them; it reads nothing itself.

    It stands behind the logger, so that losses are looked at where a line was
    logged. What was recorded since is not known yet and is looked at next time.
    """

    priority = 65  # behind LoggerHook, before the schedules and the checkpoint

    def __init__(self) -> None:
        self._looked_at = 0

    def before_train(self, runner: RunnerView) -> None:
        """Count from where the run begins."""
        self._looked_at = runner.iter

    def after_train_iter(
        self,
        runner: RunnerView,
        batch_idx: int,
        data_batch: DataBatch = None,
        outputs: dict[str, Any] | None = None,
    ) -> None:
        """Look, where nothing is left to be read."""
        losses = {name: f"train/{name}" for name in outputs or () if "loss" in name}
        histories = {name: runner.message_hub.get_scalar(key) for name, key in losses.items()}
        if any(history.waits_for_unsent() for history in histories.values()):
            return
        done = runner.iter + 1
        for name, history in histories.items():
            _look(history, name, done, done - self._looked_at)
        self._looked_at = done


def _look(history: Any, name: str, done: int, window: int) -> None:
    """Raise where one of the last ``window`` values is no finite number."""
    if math.isfinite(history.mean(window)):
        return
    values = [float(value) for value in history.data[0][-window:]]
    bad = next((place for place, value in enumerate(values) if not math.isfinite(value)), None)
    if bad is None:
        return
    iteration = done - len(values) + bad + 1
    raise NonFiniteLossError(
        f"the loss {name!r} became {values[bad]} in iteration {iteration}; lower the learning "
        "rate, clip gradients (optim_wrapper.clip_grad), or look for bad samples. "
        "default_hooks=dict(nan_guard=None) lets a run go on"
    )
