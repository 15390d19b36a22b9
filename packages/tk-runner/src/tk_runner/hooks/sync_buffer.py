"""Buffers that are equal on every rank before somebody evaluates with them."""

from __future__ import annotations

from tk_dist import all_reduce_params, is_distributed
from tk_registry import HOOKS

from ..interfaces.run import RunLike
from .hook import Hook


@HOOKS.register_module()
class SyncBuffersHook(Hook):
    """Averages floating-point buffers (running means and the like) over the ranks.

    Whole-number buffers, such as counters of batches, are equal already and stay.
    """

    priority = "NORMAL"

    def __init__(self) -> None:
        self._is_fresh = False

    def after_train_epoch(self, runner: RunLike) -> None:
        """Average after each epoch."""
        self._average(runner)
        self._is_fresh = True

    def before_val_epoch(self, runner: RunLike) -> None:
        """Average before a validation that no epoch's end came before."""
        if runner.train_loop is not None and not self._is_fresh:
            self._average(runner)
        self._is_fresh = False

    @staticmethod
    def _average(runner: RunLike) -> None:
        if is_distributed():
            buffers = [one for one in runner.model.buffers() if one.is_floating_point()]
            all_reduce_params(buffers, op="mean")
