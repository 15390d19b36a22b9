"""Initialisation by config: which initializer, on which layers, with which exceptions."""

from __future__ import annotations

import copy
import logging
from collections.abc import Mapping
from typing import Any

from torch import nn

from tk_registry import WEIGHT_INITIALIZERS, did_you_mean

from ..errors import InitializationError, ModelSettingsError, ModelTypeError
from .base import BaseInit
from .pretrained import PretrainedInit

logger = logging.getLogger("tk.runner")
InitCfg = Mapping[str, Any]


def initialize(module: nn.Module, init_cfg: InitCfg | list[InitCfg]) -> None:
    """Initialise ``module`` by one config or several, in their order.

    A config has ``type``, arguments, ``layer`` (classes that are initialised) and
    ``override`` (attributes with settings of their own; one with a name only
    takes those of the config). With neither ``layer`` nor ``override`` nothing
    is initialised, and the log says so.

    Raises:
        ModelTypeError: a config or an override is no mapping and no list.
        ModelSettingsError: an override lacks its name, or its type.
        InitializationError: an override names an attribute that is not there.
    """
    for cfg in _as_list("init_cfg", init_cfg):
        plain = copy.deepcopy(dict(cfg))
        override = plain.pop("override", None)
        initializer = build_initializer(plain)
        if isinstance(initializer, BaseInit):
            _hint_if_idle(module, initializer, override)
            initializer.wholemodule = False
        initializer(module)
        if override is not None:
            plain.pop("layer", None)
            for entry in _as_list("override", override):
                _initialize_attribute(module, entry, plain)


def build_initializer(cfg: InitCfg) -> Any:
    """The initializer of one config without ``override``."""
    return WEIGHT_INITIALIZERS.build(dict(cfg))


def is_pretrained(cfg: InitCfg) -> bool:
    """Whether the config loads a checkpoint."""
    kind = cfg.get("type")
    found = WEIGHT_INITIALIZERS.get(kind) if isinstance(kind, str) else kind
    return isinstance(found, type) and issubclass(found, PretrainedInit)


def _initialize_attribute(module: nn.Module, entry: InitCfg, outer: InitCfg) -> None:
    own = copy.deepcopy(dict(entry))
    name = own.pop("name", None)
    if name is None:
        raise ModelSettingsError(
            f"an override must say which attribute it is for, by 'name'; got {own}"
        )
    if own and "type" not in own:
        raise ModelSettingsError(
            f"the override of {name!r} has arguments but no 'type'; add one, or give only the name"
        )
    target = module
    for part in str(name).split("."):
        if not hasattr(target, part):
            children = [child for child, _ in target.named_children()]
            raise InitializationError(
                f"{type(module).__name__} has no attribute {name!r} to override; "
                f"{did_you_mean(part, children)}"
            )
        target = getattr(target, part)
    if not isinstance(target, nn.Module):
        raise InitializationError(
            f"the attribute {name!r} of {type(module).__name__} is a {type(target).__name__}, and "
            "only modules are initialised by config; do it in an init_weights() of your own"
        )
    initializer = build_initializer(own or outer)
    if isinstance(initializer, BaseInit):
        initializer.wholemodule = True
    initializer(target)


def _hint_if_idle(module: nn.Module, initializer: BaseInit, override: Any) -> None:
    """Say in the log that a config initialises nothing at all."""
    name = type(module).__name__
    if not initializer.layer:
        if override is None:
            logger.warning(
                "init_cfg %r of %s initialises nothing: name the classes of the layers with "
                "layer=..., or attributes with override=...",
                initializer, name,
            )  # fmt: skip
        return
    if not any(initializer.matches(one) for one in module.modules()):
        kinds = {type(one).__name__ for one in module.modules()}
        logger.warning(
            "init_cfg %r of %s initialises nothing: no layer is a %s; %s",
            initializer, name, " or a ".join(initializer.layer),
            did_you_mean(initializer.layer[0], kinds),
        )  # fmt: skip


def _as_list(what: str, value: Any) -> list[InitCfg]:
    entries = [value] if isinstance(value, Mapping) else value
    if not isinstance(entries, (list, tuple)):
        raise ModelTypeError(f"{what} is a dict or a list of dicts, got {type(value).__name__}")
    wrong = [entry for entry in entries if not isinstance(entry, Mapping)]
    if wrong:
        raise ModelTypeError(f"{what} is a dict or a list of dicts, but holds {wrong[0]!r}")
    return list(entries)
