"""Where the run stands and what its steps gave, written to the message hub. Nothing is read."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from tk_logging import MessageHub, scalar_key
from tk_registry import HOOKS

from ..interfaces.run import RunLike
from .hook import DataBatch, Hook


@HOOKS.register_module()
class RuntimeInfoHook(Hook):
    """Keeps the hub up to date: stage, epoch, iteration, rates, losses, metrics."""

    priority = "VERY_HIGH"

    def __init__(self) -> None:
        self._rate_names: tuple[str, ...] | None = None  # of the latest rates that were recorded
        self._record_rates: Callable[[Sequence[Any]], None] = _record_nothing
        self._output_names: tuple[str, ...] | None = None  # of the latest outputs
        self._without_curve: set[str] = set()  # metrics that were named in a warning
        self._record_outputs: Callable[[Sequence[Any]], None] = _record_nothing

    def before_run(self, runner: RunLike) -> None:
        """Say which run this is."""
        self._rate_names = self._output_names = None  # a hub may be another one
        facts = {"experiment_name": runner.experiment_name, "seed": runner.seed}
        runner.message_hub.update_info_dict(facts)

    def before_train(self, runner: RunLike) -> None:
        """Say how far the training will go."""
        hub = runner.message_hub
        hub.update_info("loop_stage", "train", resumed=False)
        hub.update_info_dict(
            {
                "epoch": runner.epoch,
                "iter": runner.iter,
                "max_epochs": runner.max_epochs,
                "max_iters": runner.max_iters,
            }
        )
        meta = getattr(runner.train_dataloader.dataset, "metainfo", None)
        if meta:
            hub.update_info("dataset_meta", dict(meta), resumed=False)

    def after_train(self, runner: RunLike) -> None:
        """The stage is over."""
        runner.message_hub.pop_info("loop_stage")

    def before_train_epoch(self, runner: RunLike) -> None:
        """The epoch that runs."""
        runner.message_hub.update_info("epoch", runner.epoch)

    def before_train_iter(
        self, runner: RunLike, batch_idx: int, data_batch: DataBatch = None
    ) -> None:
        """The iteration that runs, and the learning rates that it uses."""
        runner.message_hub.runtime_info["iter"] = runner.iter  # entered by before_train
        if runner.optim_wrapper is None:
            return
        rates = runner.optim_wrapper.get_lr()
        names = tuple(shown_rates(rates) if len(rates) > 1 else rates)
        if names != self._rate_names:
            self._rate_names = names
            self._record_rates = _recorder(runner.message_hub, names)
        self._record_rates(
            [rates[name][0] for name in names] if len(names) > 1 else rates[names[0]][:1]
        )

    def after_train_iter(
        self,
        runner: RunLike,
        batch_idx: int,
        data_batch: DataBatch = None,
        outputs: dict[str, Any] | None = None,
    ) -> None:
        """What the step gave, kept on its device."""
        if not outputs:
            return
        names = tuple(outputs)
        if names != self._output_names:
            self._output_names = names
            self._record_outputs = _recorder(runner.message_hub, names)
        self._record_outputs(list(outputs.values()))

    def before_val(self, runner: RunLike) -> None:
        """The stage."""
        runner.message_hub.update_info("loop_stage", "val", resumed=False)

    def after_val(self, runner: RunLike) -> None:
        """Back to the stage around it, if there is one."""
        self._end_of_evaluation(runner)

    def before_test(self, runner: RunLike) -> None:
        """The stage."""
        runner.message_hub.update_info("loop_stage", "test", resumed=False)

    def after_test(self, runner: RunLike) -> None:
        """The stage is over."""
        self._end_of_evaluation(runner)

    @staticmethod
    def _end_of_evaluation(runner: RunLike) -> None:
        if runner.train_loop is not None:
            runner.message_hub.update_info("loop_stage", "train", resumed=False)
        else:
            runner.message_hub.pop_info("loop_stage")

    def after_val_epoch(self, runner: RunLike, metrics: dict[str, float] | None = None) -> None:
        """The metrics."""
        self._record_metrics(runner, metrics or {}, "val")

    def after_test_epoch(self, runner: RunLike, metrics: dict[str, float] | None = None) -> None:
        """The metrics."""
        self._record_metrics(runner, metrics or {}, "test")

    def _record_metrics(self, runner: RunLike, metrics: Mapping[str, Any], mode: str) -> None:
        record_metrics(runner.message_hub, metrics, mode)
        for name, value in metrics.items():
            if not is_number(value) and name not in self._without_curve:
                self._without_curve.add(name)
                runner.logger.warning(
                    "the metric %r is not a number but of type %s (%s): it is shown in the log, "
                    "but has no curve and cannot choose the best checkpoint; return one number "
                    "for each name",
                    name,
                    type(value).__name__,
                    f"{value!r:.60}",
                )


def _recorder(hub: MessageHub, names: Iterable[str]) -> Callable[[Sequence[Any]], None]:
    return hub.recorder(scalar_key("train", name) for name in names)


def _record_nothing(values: Sequence[Any]) -> None:
    """Before the first iteration there is nothing to record to."""


def shown_rates(rates: Mapping[str, list[float]]) -> Iterable[str]:
    """One name for each optimizer: that of the base rate where groups differ."""
    if len(rates) == 1:
        return rates
    bases = {name.removesuffix("base_lr") for name in rates if name.endswith("base_lr")}
    return [n for n in rates if n.endswith("base_lr") or n.removesuffix("lr") not in bases]


def record_metrics(hub: Any, metrics: Mapping[str, Any], mode: str) -> None:
    """Numbers become scalars, anything else becomes information."""
    for name, value in metrics.items():
        if is_number(value):
            hub.update_scalar(scalar_key(mode, name), value)
        else:
            hub.update_info(scalar_key(mode, name), value)


def is_number(value: Any) -> bool:
    """Whether a metric is one number: plain, or an array or tensor of one element."""
    if hasattr(value, "numel"):
        return bool(value.numel() == 1)
    return isinstance(value, numbers.Real) or getattr(value, "size", None) == 1
