"""The builders of kinds that are not simply called: models, schedules, runners.

They know their classes by what these offer, never by importing them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .build import arguments, build_from_cfg, callable_of, take_type
from .errors import ArgumentError, InvalidUseError, RegistryError
from .names import NameTree
from .scope import ROOT_SCOPE, DefaultScope


def build_model_from_cfg(
    cfg: Mapping[str, Any] | list[Mapping[str, Any]] | tuple[Mapping[str, Any], ...],
    registry: NameTree[Any],
    default_args: Mapping[str, Any] | None = None,
) -> Any:
    """Build a model; a list of configs gives the registered ``Sequential`` of all of them.

    Raises:
        UnknownNameError: a list was given and no model is registered as ``Sequential``.
    """
    if not isinstance(cfg, (list, tuple)):
        return build_from_cfg(cfg, registry, default_args)
    if not isinstance(registry, NameTree):
        raise InvalidUseError(f"registry must be a Registry, got {registry!r}")
    # tk-runner registers its own, which also initialises weights; without it a user
    # may register torch's.
    container = registry.under(ROOT_SCOPE).get("Sequential")
    if container is None:
        raise RegistryError(
            "a list of models is built into a container, and none is registered; install "
            "tk-runner, or register one: MODELS.register_module(module=torch.nn.Sequential)"
        )
    return container(*[build_from_cfg(entry, registry, default_args) for entry in cfg])


def build_runner_from_cfg(cfg: Mapping[str, Any], registry: NameTree[Any]) -> Any:
    """Build a runner by the ``from_cfg`` of the class that ``runner_type`` names."""
    args = arguments(cfg, registry, None)
    with DefaultScope.overwrite_default_scope(args.pop("_scope_", None)):
        wanted = args.get("runner_type", "Runner")
        runner = callable_of(wanted, cfg, registry, "runner_type")
        return runner.from_cfg(cfg)


def build_scheduler_from_cfg(
    cfg: Mapping[str, Any],
    registry: NameTree[Any],
    default_args: Mapping[str, Any] | None = None,
) -> Any:
    """Build a parameter schedule, converted from epochs to iterations where asked for.

    With ``convert_to_iter_based`` the class's ``build_iter_from_epoch`` makes it, and
    ``epoch_length`` is needed; without, ``epoch_length`` is dropped.

    Raises:
        ArgumentError: conversion without ``epoch_length``, or with ``by_epoch=False``.
    """
    args = arguments(cfg, registry, default_args)
    if not args.pop("convert_to_iter_based", False):
        args.pop("epoch_length", None)
        return build_from_cfg(args, registry)
    if "epoch_length" not in args or not args.get("by_epoch", True):
        raise ArgumentError(
            "convert_to_iter_based needs epoch_length and by_epoch=True, got "
            f"epoch_length={args.get('epoch_length')!r}, by_epoch={args.get('by_epoch', True)!r}; "
            "give both, or leave convert_to_iter_based out"
        )
    with DefaultScope.overwrite_default_scope(args.pop("_scope_", None)):
        scheduler = take_type(args, cfg, registry)
        return scheduler.build_iter_from_epoch(**args)
