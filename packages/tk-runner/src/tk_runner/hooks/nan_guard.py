"""A run whose loss is no number any more ends, at the latest when the next line is logged."""

from __future__ import annotations

import math
from typing import Any

from tk_registry import HOOKS

from ..errors import NonFiniteLossError
from ..interfaces.run import RunLike
from .hook import DataBatch, Hook

TOTAL = "train/loss"


@HOOKS.register_module()
class NaNGuardHook(Hook):
    """Looks at the losses whenever somebody has read them; it reads nothing itself.

    It stands behind the logger, so that losses are looked at where a line was
    logged. What is still on its way from the device is looked at next time.
    """

    priority = 65  # behind LoggerHook, before the schedules and the checkpoint

    def __init__(self) -> None:
        self._began_at = 0
        self._known: dict[str, int] = {}  # values of each loss when the training began
        self._looked: dict[str, int] = {}  # values of each loss that were looked at

    def before_train(self, runner: RunLike) -> None:
        """Count from where the run begins."""
        self._began_at = runner.iter
        histories = runner.message_hub.log_scalars
        self._known = {key: len(one) for key, one in histories.items() if key.startswith("train/")}
        self._looked = dict(self._known)

    def iters_until_due(self, runner: RunLike, batch_idx: int) -> float | None:
        """Together with the logger, which reads."""
        return math.inf

    def after_train_iter(
        self,
        runner: RunLike,
        batch_idx: int,
        data_batch: DataBatch = None,
        outputs: dict[str, Any] | None = None,
    ) -> None:
        """Look, where nothing is left to be read."""
        hub = runner.message_hub
        losses = []
        for name in outputs or ():
            if "loss" in name:
                key = f"train/{name}"
                if hub.get_scalar(key).waits_for_unsent():
                    return
                losses.append(key)
        losses.sort(key=TOTAL.__eq__)  # the part that is broken says more than the sum
        for key in losses:
            self._look(key, hub.get_scalar(key))

    def _look(self, key: str, history: Any) -> None:
        """Raise where one of the values that nobody looked at is no finite number."""
        arrived = len(history)
        window = min(arrived - self._looked.get(key, 0), history.max_length)
        self._looked[key] = arrived
        if window < 1 or math.isfinite(history.mean()):  # of all values: it is kept, not computed
            return
        values = [float(value) for value in history.data[0][-window:]]
        bad = next((n for n, value in enumerate(values) if not math.isfinite(value)), None)
        if bad is None:  # the sum of large numbers, not one of them
            return
        count = arrived - window + bad + 1 - self._known.get(key, 0)
        raise NonFiniteLossError(
            f"the loss {key.removeprefix('train/')!r} became {values[bad]} in iteration "
            f"{self._began_at + count}; lower the learning rate, clip gradients "
            "(optim_wrapper.clip_grad), or look for bad samples. "
            "default_hooks=dict(nan_guard=None) lets a run go on"
        )
