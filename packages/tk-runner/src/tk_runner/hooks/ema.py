"""Keeps an averaged copy of the weights, and evaluates with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import torch
from torch import nn

from tk_registry import HOOKS, MODELS, check_values, count, value_problems, value_rules

from ..errors import InvalidSettingsError
from ..interfaces.run import RunLike
from .hook import DataBatch, Hook

INNER = "module."  # what stands before a weight's name in the state of an average


def _problems(
    ema_type: Any, begin_iter: int, begin_epoch: int, kwargs: Mapping[str, Any]
) -> Iterator[tuple[str, str]]:
    """Two beginnings, and options that the kind of average cannot take."""
    if begin_iter and begin_epoch:
        yield "begin_iter", "give begin_iter or begin_epoch, not both"
    kind = MODELS.get(ema_type) if isinstance(ema_type, str) else ema_type
    yield from value_problems(kind, kwargs) if callable(kind) else ()


@HOOKS.register_module()
@value_rules(_problems, begin_iter=count(0), begin_epoch=count(0))
class EMAHook(Hook):
    """Averages after each update; validation, test and checkpoints use the average.

    In a checkpoint ``state_dict`` holds the averaged weights, so that loading it
    plainly gives them, and ``ema_state_dict`` the ones that were trained.

    Args:
        ema_type: which average: ``ExponentialMovingAverage`` and its kin.
        strict_load: whether names that do not fit are an error on loading; else
            they are named in a warning.
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
        check_values(EMAHook, locals(), InvalidSettingsError)
        self.strict_load = strict_load
        self.begin_iter = begin_iter
        self.begin_epoch = begin_epoch
        self._average_cfg = {"type": ema_type, **kwargs}
        self._updates = 0  # updates of the optimizer that the average has seen
        self._is_swapped = False
        self._is_stale = True  # the weights changed otherwise than by a training step
        self._source: nn.Module = nn.Module()
        self.ema_model: Any = None

    def before_run(self, runner: RunLike) -> None:
        """Make the average out of the model as it is now."""
        if [isinstance(hook, EMAHook) for hook in runner.hooks].count(True) > 1:
            raise InvalidSettingsError(
                "there are two EMAHooks, but a checkpoint keeps one average, and validation uses "
                "one; leave one of them out"
            )
        if self.ema_model is None:
            self._source = runner.strategy.unwrap(runner.model)
            self.ema_model = MODELS.build(self._average_cfg, default_args={"model": self._source})

    def before_train(self, runner: RunLike) -> None:
        """The beginning must lie within the training."""
        for begin, end, unit in (
            (self.begin_epoch, runner.max_epochs, "epoch"),
            (self.begin_iter, runner.max_iters, "iter"),
        ):
            if begin > end:
                raise InvalidSettingsError(
                    f"begin_{unit}={begin} lies behind the end of the training at {end}; begin "
                    "before it, or drop the hook"
                )
        if self.begin_epoch and not runner.counts_epochs:
            raise InvalidSettingsError(
                f"begin_epoch={self.begin_epoch} is never reached in a training by iteration, "
                "which counts as one epoch; give begin_iter instead"
            )
        self._updates = self._count_updates(runner)
        self._refresh()

    def after_train_iter(
        self,
        runner: RunLike,
        batch_idx: int,
        data_batch: DataBatch = None,
        outputs: dict[str, Any] | None = None,
    ) -> None:
        """Average, or copy while averaging has not begun."""
        wrapper = runner.optim_wrapper
        if self._is_behind(runner) or wrapper is None or not wrapper.has_pending_gradients:
            self._follow(runner, finished=runner.iter + 1)

    def after_train_epoch(self, runner: RunLike) -> None:
        """Average an update that the end of the training completed."""
        self._catch_up(runner)

    def after_train(self, runner: RunLike) -> None:
        """Average an update that the end of the training completed."""
        self._catch_up(runner)

    def _follow(self, runner: RunLike, finished: int) -> None:
        """Take the newest weights into the average; until it begins, copy them."""
        self._updates = self._count_updates(runner)
        if finished >= self.begin_iter and runner.epoch >= self.begin_epoch:
            self.ema_model.update_parameters(self._source)
        else:
            self._copy_weights()

    def _catch_up(self, runner: RunLike) -> None:
        if self._is_behind(runner):
            self._follow(runner, finished=runner.iter)

    def _is_behind(self, runner: RunLike) -> bool:
        """Whether the optimizer made an update since the average was last moved.

        With gradient accumulation that is once for several batches.
        """
        return self._count_updates(runner) != self._updates

    @staticmethod
    def _count_updates(runner: RunLike) -> int:
        wrappers = runner.optim_wrapper.wrappers if runner.optim_wrapper is not None else {}
        return sum(wrapper.update_count for wrapper in wrappers.values())

    def before_val_epoch(self, runner: RunLike) -> None:
        """Evaluate with the average."""
        if runner.train_loop is not None:
            self._catch_up(runner)
        self._swap()

    def after_val_epoch(self, runner: RunLike, metrics: dict[str, float] | None = None) -> None:
        """Train on."""
        self._swap_back()

    def before_test_epoch(self, runner: RunLike) -> None:
        """Evaluate with the average."""
        self._swap()

    def after_test_epoch(self, runner: RunLike, metrics: dict[str, float] | None = None) -> None:
        """Leave the model as it was."""
        self._swap_back()

    def on_exception(self, runner: RunLike, error: BaseException) -> None:
        """An evaluation that broke off leaves the model as it was."""
        self._swap_back()

    def before_save_checkpoint(self, runner: RunLike, checkpoint: dict[str, Any]) -> None:
        """The average under the model's names, and the trained weights beside it."""
        averaged, trained = self.ema_model.module.state_dict(), checkpoint["state_dict"]
        if self._is_swapped:
            averaged, trained = trained, averaged
        state = self.ema_model.state_dict()
        counters = {name: one for name, one in state.items() if not name.startswith(INNER)}
        checkpoint["ema_state_dict"] = {**counters, **_inside(trained)}
        checkpoint["state_dict"] = averaged

    def after_load_checkpoint(self, runner: RunLike, checkpoint: dict[str, Any]) -> None:
        """On resuming, give average and trained weights back to whom they belong.

        Weights that are loaded otherwise go into the average too, when it is next used.
        """
        saved = checkpoint.get("ema_state_dict")
        self._is_stale = saved is None or not runner.is_resuming
        if not runner.is_resuming:
            return
        if saved is None:
            runner.logger.warning(
                "the checkpoint holds no average: it begins as a copy of the weights"
            )
            return
        counters = {name: one for name, one in saved.items() if not name.startswith(INNER)}
        self._load_average(runner, {**counters, **_inside(checkpoint["state_dict"])})
        checkpoint["state_dict"] = {
            name.removeprefix(INNER): one for name, one in saved.items() if name.startswith(INNER)
        }

    def _load_average(self, runner: RunLike, state: Mapping[str, Any]) -> None:
        misfits = self.ema_model.load_state_dict(state, strict=self.strict_load)
        if misfits.missing_keys or misfits.unexpected_keys:
            runner.logger.warning(
                "the average of the checkpoint does not fit in all: missing %s, unknown %s",
                misfits.missing_keys or "nothing",
                misfits.unexpected_keys or "nothing",
            )

    @torch.no_grad()
    def _copy_weights(self) -> None:
        for mine, other in self._pairs():
            mine.copy_(other)

    def _refresh(self) -> None:
        if self._is_stale:
            self._copy_weights()
            self._is_stale = False

    def _swap(self) -> None:
        if not self._is_swapped:
            self._refresh()
            self._exchange()
            self._is_swapped = True

    def _swap_back(self) -> None:
        if self._is_swapped:
            self._exchange()
            self._is_swapped = False

    @torch.no_grad()
    def _exchange(self) -> None:
        for mine, other in self._pairs():
            kept = mine.clone()
            mine.copy_(other)
            other.copy_(kept)

    def _pairs(self) -> list[tuple[torch.Tensor, torch.Tensor]]:
        """The tensors of the average, each with its counterpart in the model; tied ones once."""
        source = _tensors(self._source)
        return [(mine, source[name]) for name, mine in _tensors(self.ema_model.module).items()]


def _inside(state: Mapping[str, Any]) -> dict[str, Any]:
    return {f"{INNER}{name}": one for name, one in state.items()}


def _tensors(model: nn.Module) -> dict[str, torch.Tensor]:
    return {**dict(model.named_parameters()), **dict(model.named_buffers())}
