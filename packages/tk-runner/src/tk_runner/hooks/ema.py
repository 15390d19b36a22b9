"""Keeps an averaged copy of the weights, and evaluates with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import nn

from tk_registry import HOOKS, MODELS

from ..errors import InvalidSettingsError
from ..model import is_model_wrapper
from ..view import RunnerView
from .hook import DataBatch, Hook


@HOOKS.register_module()
class EMAHook(Hook):
    """Averages after each step; validation, test and checkpoints use the average.

    In a checkpoint ``state_dict`` holds the averaged weights, so that loading it
    plainly gives them, and ``ema_state_dict`` the ones that were trained.

    Args:
        ema_type: which average: ``ExponentialMovingAverage`` and its kin.
        strict_load: whether names that do not fit are an error on loading.
        begin_iter: iteration at which averaging begins; before, weights are copied.
        begin_epoch: the same by epoch; only one of both.
        **kwargs: of the average.
    """

    priority = "NORMAL"

    def __init__(
        self,
        ema_type: str = "ExponentialMovingAverage",
        strict_load: bool = False,
        begin_iter: int = 0,
        begin_epoch: int = 0,
        **kwargs: Any,
    ) -> None:
        if begin_iter < 0 or begin_epoch < 0:
            raise InvalidSettingsError("begin_iter and begin_epoch must be 0 or more")
        if begin_iter and begin_epoch:
            raise InvalidSettingsError("give begin_iter or begin_epoch, not both")
        self.strict_load = strict_load
        self.begin_iter = begin_iter
        self.begin_epoch = begin_epoch
        self._average_cfg = {"type": ema_type, **kwargs}
        self._is_swapped = False
        self.ema_model: Any = None
        self._source: nn.Module | None = None

    def before_run(self, runner: RunnerView) -> None:
        """Make the average out of the model as it is now."""
        if self.ema_model is None:
            self._source = _unwrapped(runner.model)
            self.ema_model = MODELS.build(self._average_cfg, default_args={"model": self._source})

    def before_train(self, runner: RunnerView) -> None:
        """The beginning must lie within the training."""
        for begin, end, unit in (
            (self.begin_epoch, runner.max_epochs, "epoch"),
            (self.begin_iter, runner.max_iters, "iter"),
        ):
            if begin > end:
                raise InvalidSettingsError(
                    f"begin_{unit}={begin} lies behind the end of the training at {end}"
                )
        if runner.iter == 0:
            self._copy_weights()

    def after_train_iter(
        self,
        runner: RunnerView,
        batch_idx: int,
        data_batch: DataBatch = None,
        outputs: dict[str, Any] | None = None,
    ) -> None:
        """Average, or copy while averaging has not begun."""
        if runner.iter + 1 >= self.begin_iter and runner.epoch >= self.begin_epoch:
            self.ema_model.update_parameters(self._source)
        else:
            self._copy_weights()

    def before_val_epoch(self, runner: RunnerView) -> None:
        """Evaluate with the average."""
        self._swap()

    def after_val_epoch(self, runner: RunnerView, metrics: dict[str, float] | None = None) -> None:
        """Train on."""
        self._swap_back()

    def before_test_epoch(self, runner: RunnerView) -> None:
        """Evaluate with the average."""
        self._swap()

    def after_test_epoch(self, runner: RunnerView, metrics: dict[str, float] | None = None) -> None:
        """Leave the model as it was."""
        self._swap_back()

    def on_exception(self, runner: RunnerView, error: BaseException) -> None:
        """An evaluation that broke off leaves the model as it was."""
        self._swap_back()

    def before_save_checkpoint(self, runner: RunnerView, checkpoint: dict[str, Any]) -> None:
        """The average under the model's names, and the trained weights beside it."""
        averaged = self.ema_model.module.state_dict()
        trained = checkpoint["state_dict"]
        if self._is_swapped:
            averaged, trained = trained, averaged
        counters = {
            k: v for k, v in self.ema_model.state_dict().items() if not k.startswith("module.")
        }
        checkpoint["ema_state_dict"] = {
            **counters,
            **{f"module.{name}": value for name, value in trained.items()},
        }
        checkpoint["state_dict"] = averaged

    def after_load_checkpoint(self, runner: RunnerView, checkpoint: dict[str, Any]) -> None:
        """Give the average and the trained weights back to whom they belong."""
        saved = checkpoint.get("ema_state_dict")
        averaged = checkpoint.get("state_dict", checkpoint)
        if saved is None:
            runner.logger.warning(
                "the checkpoint holds no average: it begins as a copy of the weights"
            )
            self._load_average({f"module.{name}": value for name, value in averaged.items()})
            return
        counters = {name: value for name, value in saved.items() if not name.startswith("module.")}
        self._load_average({**counters, **{f"module.{k}": v for k, v in averaged.items()}})
        if runner.is_resuming:
            checkpoint["state_dict"] = {
                name.removeprefix("module."): value
                for name, value in saved.items()
                if name.startswith("module.")
            }

    def _load_average(self, state: Mapping[str, Any]) -> None:
        self.ema_model.load_state_dict(state, strict=self.strict_load)

    @torch.no_grad()
    def _copy_weights(self) -> None:
        for mine, other in self._pairs(with_buffers=True):
            mine.copy_(other)

    def _swap(self) -> None:
        if not self._is_swapped:
            self._exchange()
            self._is_swapped = True

    def _swap_back(self) -> None:
        if self._is_swapped:
            self._exchange()
            self._is_swapped = False

    @torch.no_grad()
    def _exchange(self) -> None:
        for mine, other in self._pairs(with_buffers=True):
            kept = mine.clone()
            mine.copy_(other)
            other.copy_(kept)

    def _pairs(self, with_buffers: bool) -> list[tuple[torch.Tensor, torch.Tensor]]:
        """The tensors of the average, each with its counterpart in the model."""
        source = dict(self._source.state_dict(keep_vars=True)) if self._source else {}
        own = self.ema_model.module.state_dict(keep_vars=True)
        return [(own[name], source[name]) for name in own if name in source]


def _unwrapped(model: nn.Module) -> nn.Module:
    model = getattr(model, "_orig_mod", model)
    while is_model_wrapper(model):
        model = model.module
    return model
