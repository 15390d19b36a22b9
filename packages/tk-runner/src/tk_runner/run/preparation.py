"""The steps between a run's settings and its first batch, in the order in which they are taken."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from tk_dist import is_distributed, is_main_process
from tk_fileio import atomic_write
from tk_registry import LOG_PROCESSORS, STRATEGIES

from ..building.loops import build_train_loop
from ..building.optim import build_schedulers, build_wrapper, scale_lr
from ..errors import NotConfiguredError
from ..interfaces.run import RunnerView
from ..log_lines.log_processor import LogProcessor
from ..settings.groups import TrainSettings
from ..strategy import BaseStrategy, DDPStrategy, SingleDeviceStrategy
from .record import Recorded


def choose_strategy(
    strategy: Any,
    model_wrapper_cfg: Mapping[str, Any] | None,
    sync_bn: str | None,
    find_unused_parameters: bool,
) -> BaseStrategy:
    """The user's strategy; else one device, or data parallel where there are several ranks."""
    if isinstance(strategy, Mapping):
        built: BaseStrategy = STRATEGIES.build(strategy)
        return built
    if isinstance(strategy, BaseStrategy):
        return strategy
    if strategy is not None:
        raise TypeError(f"strategy must be a strategy or the config of one, got {strategy!r}")
    if not is_distributed():
        return SingleDeviceStrategy()
    return DDPStrategy(model_wrapper_cfg, sync_bn, find_unused_parameters)


def build_log_processor(log_processor: Any) -> Any:
    """A log processor out of one, a config, or nothing."""
    if log_processor is None or isinstance(log_processor, Mapping):
        return LOG_PROCESSORS.build(log_processor or {}, default_args={"type": LogProcessor})
    return log_processor


class Trainable(RunnerView, Protocol):
    """A run that is given a train loop once it trains."""

    train_settings: TrainSettings

    def use_train_loop(self, loop: Any) -> None:
        """Train with this loop."""


def prepare_training(run: Trainable) -> None:
    """Build what training needs, once: loop, optimizer, schedules."""
    if run.train_loop is not None:
        return
    settings = run.train_settings
    _require_step(run.model, "train_step")
    loop = build_train_loop(settings.cfg, run, settings.dataloader)
    run.use_train_loop(loop)
    run.optim_wrapper = build_wrapper(settings.optim_wrapper, run.strategy.unwrap(run.model))
    run.optim_wrapper.message_hub = run.message_hub
    samples = getattr(loop.dataloader, "batch_size", None) or 1
    batch_size = samples * run.world_size
    factors = scale_lr(run.optim_wrapper, settings.auto_scale_lr, batch_size=batch_size)
    for name, factor in factors.items():
        run.logger.info(
            "learning rates%s are multiplied by %g for the samples of one update",
            name and f" of {name}",
            factor,
        )
    run.param_schedulers = build_schedulers(
        settings.param_scheduler,
        run.optim_wrapper,
        epoch_length=_length(loop.dataloader),
        max_epochs=loop.max_epochs,
        max_iters=loop.max_iters,
    )
    if run.val_loop is not None:
        _require_step(run.model, "val_step")


def start_counting(run: RunnerView) -> None:
    """Tell a single optimizer wrapper where the run stands, for accumulation.

    Of several, the model decides how often each is used in an iteration.
    """
    wrapper = run.optim_wrapper.wrappers.get("")
    if wrapper is not None:
        # What the loop will count from: a step that broke off behind the update counts as done.
        # A loop of somebody's own may have no state, and then says where it stands by ``iter``.
        has_state = hasattr(run.train_loop, "state_dict")
        finished = run.train_loop.state_dict()["iter"] if has_state else run.iter
        wrapper.initialize_count_status(run.model, finished, run.max_iters)


def _require_step(model: Any, name: str) -> None:
    if not hasattr(model, name):
        raise NotConfiguredError(
            f"{type(model).__name__} has no {name}; derive it from tk_runner.BaseModel, or give a "
            "plain module that returns a loss"
        )


def _length(dataloader: Any) -> int | None:
    try:
        return len(dataloader)
    except TypeError:  # an iterable dataset without a length
        return None


def write_down(run: Recorded) -> None:
    """The run's record and config into its folders, by rank 0."""
    if not is_main_process():
        return
    run.record.write(work_dir=run.work_dir, world_size=run.world_size, config=run.cfg_text)
    if run.cfg:
        name = Path(run.cfg.filename).name if run.cfg.filename else f"{run.timestamp}.py"
        target = Path(run.work_dir) / Path(name).with_suffix(".py").name
        with atomic_write(target, mode="w") as file:
            file.write(run.cfg_text)  # objects in it are shown, where a strict dump would refuse
        run.visualizer.add_config(run.cfg)
