"""Memory that the accelerator's allocator keeps, given back."""

from __future__ import annotations

import math
from typing import Any

import torch

from tk_registry import HOOKS

from ..interfaces.run import RunLike
from .hook import DataBatch, Hook


@HOOKS.register_module()
class EmptyCacheHook(Hook):
    """Empties the allocator's cache at the chosen points of every mode.

    Args:
        before_epoch: at the beginning of each epoch.
        after_epoch: at the end of each epoch.
        after_iter: after each iteration, which is slow.
    """

    priority = "NORMAL"

    def __init__(
        self, before_epoch: bool = False, after_epoch: bool = True, after_iter: bool = False
    ) -> None:
        self._do_before_epoch = before_epoch
        self._do_after_epoch = after_epoch
        self._do_after_iter = after_iter

    def _before_epoch(self, runner: RunLike, mode: str = "train") -> None:
        if self._do_before_epoch:
            empty_cache()

    def _after_epoch(self, runner: RunLike, mode: str = "train") -> None:
        if self._do_after_epoch:
            empty_cache()

    def iters_until_due(self, runner: RunLike, batch_idx: int) -> float | None:
        """After each iteration, or never."""
        return None if self._do_after_iter else math.inf

    def _after_iter(
        self,
        runner: RunLike,
        batch_idx: int,
        data_batch: DataBatch = None,
        outputs: Any = None,
        mode: str = "train",
    ) -> None:
        if self._do_after_iter:
            empty_cache()


def empty_cache() -> None:
    """Give cached blocks back to the driver; nothing without an accelerator."""
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
    elif torch.backends.mps.is_available():
        torch.mps.empty_cache()
