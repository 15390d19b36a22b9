"""How long a step and its data take, in seconds of the host's clock."""

from __future__ import annotations

import time
from typing import Any

from tk_logging import Recorder, scalar_key
from tk_registry import HOOKS

from ..interfaces.run import RunLike
from .hook import DataBatch, Hook


@HOOKS.register_module()
class IterTimerHook(Hook):
    """Records ``<mode>/data_time`` and ``<mode>/time`` for each iteration.

    The device is not waited for: a step that only enqueues work is as long as
    its enqueuing, and the mean over a log interval is right again.
    """

    priority = "NORMAL"

    def __init__(self) -> None:
        self._began = time.perf_counter()
        self._waited = 0.0
        self._recorders: dict[str, Recorder] = {}  # by mode

    def before_run(self, runner: RunLike) -> None:
        """The hub may be another one than in the run before."""
        self._recorders.clear()

    def _before_epoch(self, runner: RunLike, mode: str = "train") -> None:
        self._began = time.perf_counter()

    def _before_iter(
        self,
        runner: RunLike,
        batch_idx: int,
        data_batch: DataBatch = None,
        mode: str = "train",
    ) -> None:
        self._waited = time.perf_counter() - self._began

    def _after_iter(
        self,
        runner: RunLike,
        batch_idx: int,
        data_batch: DataBatch = None,
        outputs: Any = None,
        mode: str = "train",
    ) -> None:
        now = time.perf_counter()
        record = self._recorders.get(mode)
        if record is None:
            keys = [scalar_key(mode, name) for name in ("data_time", "time")]
            record = self._recorders[mode] = runner.message_hub.recorder(keys, resumed=False)
        record((self._waited, now - self._began))
        self._began = now

    def after_val(self, runner: RunLike) -> None:
        """The next training step did not wait for the validation."""
        self._began = time.perf_counter()
