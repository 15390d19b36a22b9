"""From the settings of a training to its first batch, in the order in which it is prepared."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch import nn

from ..building.loops import build_train_loop
from ..building.optim import build_schedulers, build_wrapper, scale_lr, settings_in_epochs
from ..errors import NotConfiguredError
from ..loops.loop import length_of
from ..model import BaseModule
from ..model.activation_checkpointing import turn_on_activation_checkpointing
from ..settings.groups import PlacementSettings
from ..strategy import BaseStrategy
from .run import Run


def prepare_training(run: Run) -> None:
    """Build what training needs, once: loop, optimizer, schedules."""
    if run.train_loop is not None:
        return
    settings = run.settings.train
    _require_step(run.model, "train_step")
    loop = build_train_loop(settings.cfg, run, settings.dataloader)
    run.loops.train = loop
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
        epoch_length=length_of(loop.dataloader),
        max_epochs=loop.max_epochs,
        max_iters=loop.max_iters,
    )
    if not getattr(loop, "by_epoch", True):
        for setting in settings_in_epochs(run.optim_wrapper, run.param_schedulers):
            run.logger.warning("%s, and this training counts iterations: it has no effect", setting)
    if run.val_loop is not None:
        _require_step(run.model, "val_step")


def initialise_model(
    wrapped: nn.Module, strategy: BaseStrategy, placement: PlacementSettings
) -> None:
    """Give a model its first weights, the same on every rank, and the form that it trains in."""
    model = strategy.unwrap(wrapped)
    if isinstance(model, BaseModule):
        model.init_weights()
    strategy.share_initial_weights(wrapped)
    if placement.activation_checkpointing:
        turn_on_activation_checkpointing(model, placement.activation_checkpointing)
    if placement.compile:
        options = placement.compile if isinstance(placement.compile, Mapping) else {}
        model.compile(**options)


def start_counting(run: Run) -> None:
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
