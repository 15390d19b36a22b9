"""Optimizer wrapper and schedules of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from torch import nn
from torch.optim import Optimizer

from tk_optim import (
    AnyOptimWrapper,
    BaseOptimWrapper,
    OptimWrapper,
    OptimWrapperDict,
    build_optim_wrapper,
)
from tk_registry import PARAM_SCHEDULERS, did_you_mean

from ..errors import InvalidSettingsError
from ..settings.optim_wrapper import is_wrapper_config, problem_of_wrapper

Schedulers = Any  # a list of schedulers, or such a list for each optimizer by name


def build_wrapper(optim_wrapper: Any, model: nn.Module) -> AnyOptimWrapper:
    """The optimizer wrapper out of a wrapper, a config, or a mapping of wrappers by name.

    Raises:
        InvalidSettingsError: a mapping of names that holds something unbuilt.
        TypeError: none of these.
    """
    wrapper = _wrapper_of(optim_wrapper, model)
    wrapper.name_parameters(model)
    return wrapper


def _wrapper_of(optim_wrapper: Any, model: nn.Module) -> AnyOptimWrapper:
    if isinstance(optim_wrapper, AnyOptimWrapper):
        return optim_wrapper
    if isinstance(optim_wrapper, Optimizer):
        return OptimWrapper(optim_wrapper)
    if not isinstance(optim_wrapper, Mapping):
        raise TypeError(
            "optim_wrapper must be an OptimWrapper, an optimizer or a config, got "
            f"{type(optim_wrapper).__name__}"
        )
    problem = problem_of_wrapper(optim_wrapper)
    if problem:
        raise InvalidSettingsError(problem)
    if is_wrapper_config(optim_wrapper):
        built: AnyOptimWrapper = build_optim_wrapper(model, optim_wrapper)
        return built
    return OptimWrapperDict(**optim_wrapper)


def build_schedulers(
    param_scheduler: Any,
    optim_wrapper: AnyOptimWrapper,
    *,
    epoch_length: int | None,
    max_epochs: int,
    max_iters: int,
) -> Schedulers:
    """The schedules of a run, each with the real end of the run where it names none."""
    if param_scheduler is None:
        return []
    lengths = {"epoch_length": epoch_length, "max_epochs": max_epochs, "max_iters": max_iters}
    wrappers = optim_wrapper.wrappers
    if "" in wrappers:  # a single one
        return _schedulers_of(param_scheduler, wrappers[""], lengths)
    by_name = isinstance(param_scheduler, Mapping) and "type" not in param_scheduler
    if by_name:
        _refuse_unknown_names(param_scheduler, wrappers)
    return {
        name: _schedulers_of(param_scheduler[name] if by_name else param_scheduler, one, lengths)
        for name, one in wrappers.items()
        if not by_name or name in param_scheduler
    }


def _refuse_unknown_names(param_scheduler: Mapping[str, Any], known: Mapping[str, Any]) -> None:
    for name in param_scheduler:
        if name not in known:
            raise InvalidSettingsError(
                f"param_scheduler has schedules for {name!r}, and no optimizer is called so; "
                f"{did_you_mean(name, known)}"
            )


def _schedulers_of(given: Any, wrapper: BaseOptimWrapper, lengths: Mapping[str, Any]) -> list[Any]:
    entries = given if isinstance(given, Sequence) and not isinstance(given, str) else [given]
    return [_one_scheduler(entry, wrapper, lengths) for entry in entries]


def _one_scheduler(entry: Any, wrapper: BaseOptimWrapper, lengths: Mapping[str, Any]) -> Any:
    if not isinstance(entry, Mapping):
        if not hasattr(entry, "state_dict"):
            raise TypeError(
                f"param_scheduler must be a schedule, the config of one or a list, got {entry!r}"
            )
        return entry
    defaults = {"optimizer": wrapper, "epoch_length": lengths["epoch_length"]}
    end = _end_of_run(entry, lengths)
    if "end" not in entry and end and entry.get("type") != "ReduceOnPlateauLR":
        defaults["end"] = end
    return PARAM_SCHEDULERS.build(entry, default_args=defaults)


def _end_of_run(entry: Mapping[str, Any], lengths: Mapping[str, Any]) -> float:
    """The end of the run in the unit that a schedule is written in."""
    if not entry.get("by_epoch", True):
        return int(lengths["max_iters"])
    if entry.get("convert_to_iter_based") and lengths["epoch_length"]:
        # A training by iteration counts as one epoch, however often it passes over the data.
        return float(lengths["max_iters"] / lengths["epoch_length"])
    return int(lengths["max_epochs"])


def settings_in_epochs(optim_wrapper: AnyOptimWrapper, schedulers: Schedulers) -> list[str]:
    """A sentence about each setting that only the end of an epoch puts into effect."""
    named = schedulers if isinstance(schedulers, Mapping) else {"": schedulers}
    found = [
        f"{type(schedule).__name__} counts epochs (by_epoch=True); write by_epoch=False, or "
        "convert_to_iter_based=True to have its epochs counted in iterations"
        for some in named.values()
        for schedule in some
        if schedule.by_epoch and not getattr(schedule, "need_val_args", False)
    ]
    for wrapper in optim_wrapper.wrappers.values():
        if wrapper.freezing is not None and wrapper.freezing.releases:
            found.append(f"freeze releases {', '.join(wrapper.freezing.releases)} at an epoch")
    return found


def scale_lr(
    optim_wrapper: AnyOptimWrapper,
    auto_scale_lr: Mapping[str, Any] | None,
    *,
    batch_size: int,
) -> dict[str, float]:
    """Scale every learning rate by the samples of one update over the base batch size.

    Args:
        optim_wrapper: whose rates are scaled.
        auto_scale_lr: ``base_batch_size`` and ``enable``; not enabled is a factor of 1.
        batch_size: samples of one batch over all ranks, without accumulation.

    Returns:
        The factor of each wrapper by its name; nothing where scaling is not enabled.
    """
    if not auto_scale_lr or not auto_scale_lr.get("enable", False):
        return {}
    base = auto_scale_lr.get("base_batch_size")
    if not base:
        raise InvalidSettingsError(
            "auto_scale_lr is enabled without base_batch_size, the batch size that the learning "
            "rate was chosen for; give it, or set enable=False"
        )
    factors = {
        name: float(batch_size * wrapper.accumulative_counts / base)
        for name, wrapper in optim_wrapper.wrappers.items()
    }
    for name, wrapper in optim_wrapper.wrappers.items():
        optimizer = wrapper.optimizer
        for rates in (optimizer.defaults, *optimizer.param_groups):
            rates["lr"] = rates["lr"] * factors[name]
    return factors
