"""From the settings of a training to its first batch, in the order in which it is prepared."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..building.loops import build_train_loop
from ..building.optim import build_schedulers, build_wrapper, scale_lr, settings_in_epochs
from ..errors import NotConfiguredError
from ..interfaces.loops import TrainLoopLike
from ..loops.loop import length_of
from ..model import BaseModule, turn_on_efficient_conv_bn_eval
from ..model.activation_checkpointing import turn_on_activation_checkpointing
from .loops import not_configured
from .run import Run


def prepare_training(run: Run) -> TrainLoopLike:
    """Build what training needs, once: loop, optimizer, schedules.

    Raises:
        NotConfiguredError: the run was given no training part, or a model that cannot train.
    """
    if run.loops.train is not None:
        return run.loops.train
    settings = run.settings.train
    if not settings.is_given:
        raise not_configured("train")
    _require_step(run.model, "train_step")
    loop = build_train_loop(settings.cfg, run, settings.dataloader)
    wrapper = build_wrapper(settings.optim_wrapper, run.strategy.unwrap(run.model))
    wrapper.message_hub = run.message_hub
    samples = getattr(loop.dataloader, "batch_size", None) or 1  # a foreign loader may have none
    batch_size = samples * run.world_size
    for name, factor in scale_lr(wrapper, settings.auto_scale_lr, batch_size=batch_size).items():
        run.logger.info(
            "learning rates%s are multiplied by %g for the samples of one update",
            name and f" of {name}",
            factor,
        )
    schedulers = build_schedulers(
        settings.param_scheduler,
        wrapper,
        epoch_length=length_of(loop.dataloader),
        max_epochs=loop.max_epochs,
        max_iters=loop.max_iters,
    )
    if not loop.by_epoch:
        for setting in settings_in_epochs(wrapper, schedulers):
            run.logger.warning("this has no effect in a training by iteration: %s", setting)
    if run.val_loop is not None:
        _require_step(run.model, "val_step")
    run.loops.train, run.optim_wrapper, run.param_schedulers = loop, wrapper, schedulers
    return loop


def initialise_model(run: Run) -> None:
    """Give the model its first weights, the same on every rank, and the form that it trains in."""
    model, placement = run.strategy.unwrap(run.model), run.settings.placement
    if isinstance(model, BaseModule):
        model.init_weights()
    run.strategy.share_initial_weights(run.model)
    if modules := run.cfg.get("efficient_conv_bn_eval"):
        turn_on_efficient_conv_bn_eval(model, modules)
    if placement.activation_checkpointing:
        turn_on_activation_checkpointing(model, placement.activation_checkpointing)
    if placement.compile:
        options = placement.compile if isinstance(placement.compile, Mapping) else {}
        model.compile(**options)


def start_counting(run: Run, loop: TrainLoopLike) -> None:
    """Tell a single optimizer wrapper where the run stands, for accumulation.

    Of several, the model decides how often each is used in an iteration.
    """
    wrapper = run.optim_wrapper.wrappers.get("") if run.optim_wrapper is not None else None
    if wrapper is not None:
        # What the loop will count from: a step that broke off behind the update counts as done.
        finished = loop.state_dict()["iter"]
        wrapper.initialize_count_status(run.model, finished, run.max_iters)


def _require_step(model: Any, name: str) -> None:
    if not hasattr(model, name):
        raise NotConfiguredError(
            f"{type(model).__name__} has no {name}; derive it from tk_runner.BaseModel, or give a "
            "plain module that returns a loss"
        )
