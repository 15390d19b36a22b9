"""How long a step and its data take, in seconds of the host's clock."""

from __future__ import annotations

import time
from typing import Any

from tk_registry import HOOKS

from ..interfaces.run import RunLike
from .hook import MODES, DataBatch, Hook

_WAITED = {mode: f"{mode}/data_time" for mode in MODES}
_TOOK = {mode: f"{mode}/time" for mode in MODES}


@HOOKS.register_module()
class IterTimerHook(Hook):
    """Records ``<mode>/data_time`` and ``<mode>/time`` for each iteration.

    The device is not waited for: a step that only enqueues work is as long as
    its enqueuing, and the mean over a log interval is right again.
    """

    priority = "NORMAL"

    def __init__(self) -> None:
        self._began = time.perf_counter()

    def _before_epoch(self, runner: RunLike, mode: str = "train") -> None:
        self._began = time.perf_counter()

    def _before_iter(
        self,
        runner: RunLike,
        batch_idx: int,
        data_batch: DataBatch = None,
        mode: str = "train",
    ) -> None:
        waited = time.perf_counter() - self._began
        runner.message_hub.update_scalar(_WAITED[mode], waited, resumed=False)

    def _after_iter(
        self,
        runner: RunLike,
        batch_idx: int,
        data_batch: DataBatch = None,
        outputs: Any = None,
        mode: str = "train",
    ) -> None:
        now = time.perf_counter()
        runner.message_hub.update_scalar(_TOOK[mode], now - self._began, resumed=False)
        self._began = now

    def after_val(self, runner: RunLike) -> None:
        """The next training step did not wait for the validation."""
        self._began = time.perf_counter()
