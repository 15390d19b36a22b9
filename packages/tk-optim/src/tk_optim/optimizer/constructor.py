"""From a model and settings to a wrapper: walking the model, applying the rules.

Parameters with equal options share one group. A parameter that needs no
gradient now is in the optimizer too, so that it trains as soon as somebody lets
it; such parameters come last, which leaves the places of the others as they are.
"""

from __future__ import annotations

import inspect
import logging
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from torch import nn
from torch.optim import Optimizer

from tk_registry import (
    OPTIM_WRAPPER_CONSTRUCTORS,
    OPTIM_WRAPPERS,
    OPTIMIZERS,
    did_you_mean,
    value_rules,
)

from ..errors import InvalidSettingError, InvalidTypeError, refusals
from .facts import walk
from .freezing import Freezing
from .param_rules import ParamOptions, ParamRules
from .paths import unmatched
from .table import param_table
from .wrapper import OptimWrapper

logger = logging.getLogger("tk.optim")


def _rules_problems(
    cls: type[DefaultOptimWrapperConstructor], paramwise_cfg: Mapping[str, Any] | None
) -> Iterator[tuple[str, str]]:
    if paramwise_cfg is not None:
        read = partial(ParamRules.from_settings, has_further_keys=_lays_out_groups_itself(cls))
        yield from refusals("paramwise_cfg", read, paramwise_cfg)


@OPTIM_WRAPPER_CONSTRUCTORS.register_module()
@value_rules(_rules_problems)
class DefaultOptimWrapperConstructor:
    """Builds the optimizer of a model, with options by parameter, and wraps it.

    A subclass that lays out the groups itself (``add_params``) may read further
    keys of ``paramwise_cfg`` and put further options into the groups.

    Args:
        optim_wrapper_cfg: ``optimizer`` (a dict with ``type``), the wrapper's
            ``type`` (default ``OptimWrapper``) and its arguments.
        paramwise_cfg: rules by parameter, see ``ParamRules``.
        freeze: the rule of this name in ``paramwise_cfg``.
        layer_decay: the rule of this name in ``paramwise_cfg``.

    Attributes:
        optimizer_cfg: settings of the optimizer.
        paramwise_cfg: as it was given, with the keys that a subclass reads.
        base_lr: the learning rate of ``optimizer_cfg``; None where it has none.
        base_wd: its weight decay; None where it has none.
    """

    def __init__(
        self,
        optim_wrapper_cfg: Mapping[str, Any],
        paramwise_cfg: Mapping[str, Any] | None = None,
        *,
        freeze: Sequence[str] | Mapping[str, int | None] | None = None,
        layer_decay: Mapping[str, Any] | None = None,
    ) -> None:
        if not isinstance(optim_wrapper_cfg, Mapping):
            raise InvalidTypeError(
                f"optim_wrapper_cfg must be a dict with 'optimizer', got "
                f"{type(optim_wrapper_cfg).__name__}"
            )
        self.optim_wrapper_cfg = dict(optim_wrapper_cfg)
        optimizer_cfg = self.optim_wrapper_cfg.pop("optimizer", None)
        if not isinstance(optimizer_cfg, Mapping):
            raise InvalidSettingError(
                f"optim_wrapper_cfg['optimizer'] is {optimizer_cfg!r}; give a dict with its type "
                "and settings, such as dict(type='SGD', lr=0.01)"
            )
        self.optimizer_cfg = dict(optimizer_cfg)
        self.base_lr = self.optimizer_cfg.get("lr")
        self.base_wd = self.optimizer_cfg.get("weight_decay")
        read = partial(
            ParamRules.from_settings, has_further_keys=_lays_out_groups_itself(type(self))
        )
        rules = read({} if paramwise_cfg is None else paramwise_cfg)
        self.paramwise_cfg = dict(paramwise_cfg or {})
        if freeze is not None or layer_decay is not None:
            more = {"freeze": freeze, "layer_decay": layer_decay}
            given = {key: value for key, value in more.items() if value is not None}
            rules = read({**self.paramwise_cfg, **given})
        self.rules = rules
        self._freezing: Freezing | None = None
        self._require_decay()

    def __call__(self, model: nn.Module) -> OptimWrapper:
        """The wrapper of an optimizer over the parameters of ``model``."""
        model = getattr(model, "module", model)
        freezing = Freezing(model, self.rules.freeze, self.rules.match)
        freezing.apply(0)
        self._freezing = freezing
        if all(freezing.frozen_for_good(path) for path, _ in model.named_parameters()):
            raise InvalidSettingError(
                f"no parameter of {type(model).__name__} is to be trained: it has none, or the "
                "freeze rules freeze all of them for good; change the rules of freeze"
            )
        groups: list[dict[str, Any]] = []
        self.add_params(groups, model)
        optimizer = self._build_optimizer(groups)
        wrapper_cfg = {"type": OptimWrapper, **self.optim_wrapper_cfg, "optimizer": optimizer}
        wrapper: OptimWrapper = OPTIM_WRAPPERS.build(wrapper_cfg)
        if self.rules.freeze:
            wrapper.freezing = freezing
        logger.debug("options by parameter:\n%s", _Lazily(model, optimizer))
        return wrapper

    def add_params(
        self,
        params: list[dict[str, Any]],
        module: nn.Module,
        prefix: str = "",
        is_dcn_module: bool | None = None,
    ) -> None:
        """Add the groups of a module to ``params``; a subclass may lay them out differently.

        Args:
            params: the list of groups, changed in place.
            module: the model, or a part of it.
            prefix: dotted name of that part.
            is_dcn_module: whether the part is a child of a deformable convolution.
        """
        found = list(walk(module, prefix, in_deformable=bool(is_dcn_module)))
        paths = [facts.path for facts, _ in found]
        self._report(paths)
        decay = self.rules.layer_decay
        factors = {} if decay is None else decay.multipliers(paths)
        by_options: dict[str, dict[str, Any]] = {}
        found.sort(key=lambda item: not self._trains(item[0].path, item[1]))  # stable
        for facts, param in found:
            entries = self._entries(self.rules.options(facts, factors.get(facts.path)))
            key = repr(sorted(entries.items()))
            by_options.setdefault(key, {"params": [], **entries})["params"].append(param)
        params.extend(by_options.values())

    @staticmethod
    def _is_in(
        param_group: Mapping[str, Any], param_group_list: Sequence[Mapping[str, Any]]
    ) -> bool:
        """Whether a group shares a parameter with one of the list, as subclasses ask."""
        taken = {id(param) for group in param_group_list for param in group["params"]}
        return any(id(param) in taken for param in param_group["params"])

    def _trains(self, path: str, param: nn.Parameter) -> bool:
        later = self._freezing is not None and self._freezing.is_released(path)
        return param.requires_grad or later

    def _entries(self, options: ParamOptions) -> dict[str, Any]:
        """Entries of a parameter group."""
        entries = dict(options.others)
        for name, factor in (("lr", options.lr_mult), ("weight_decay", options.decay_mult)):
            if factor is not None and factor != 1.0:
                entries[name] = self._base(name) * factor
        return entries

    def _base(self, name: str) -> float:
        """A setting of the optimizer: as configured, else its default."""
        if name in self.optimizer_cfg:
            return float(self.optimizer_cfg[name])
        parameter = inspect.signature(self._optimizer_class()).parameters.get(name)
        if parameter is None or not isinstance(parameter.default, (int, float)):
            raise InvalidSettingError(
                f"a rule multiplies {name!r}, which the optimizer's settings do not give; "
                f"add it: optimizer=dict(..., {name}=...)"
            )
        return float(parameter.default)

    def _optimizer_class(self) -> Any:
        named = self.optimizer_cfg.get("type")
        return OPTIMIZERS.get(named) if isinstance(named, str) else named

    def _build_optimizer(self, groups: list[dict[str, Any]]) -> Optimizer:
        plain = len(groups) == 1 and list(groups[0]) == ["params"]
        cls = self._optimizer_class()
        # The first argument is the parameters, whatever an optimizer calls it.
        first = "params" if cls is None else next(iter(inspect.signature(cls).parameters))
        value = groups[0]["params"] if plain else groups
        optimizer: Optimizer = OPTIMIZERS.build({**self.optimizer_cfg, first: value})
        if _lays_out_groups_itself(type(self)):
            return optimizer  # whoever adds options to the groups reads them
        known = {*optimizer.defaults, *self.rules.extra_options, "params"}
        for name in sorted({name for group in groups for name in group} - known):
            raise InvalidSettingError(
                f"custom_keys set {name!r}, which is no option of {type(optimizer).__name__}; "
                f"{did_you_mean(name, known - {'params'})}; if it reads it all the same, add it to "
                "paramwise_cfg['extra_options']"
            )
        return optimizer

    def _require_decay(self) -> None:
        if self.rules.multiply_decay and self.optimizer_cfg.get("weight_decay") is None:
            raise InvalidSettingError(
                f"{', '.join(self.rules.multiply_decay)} multiply the weight decay, and the "
                "optimizer's settings have none; add weight_decay to them"
            )

    def _report(self, paths: list[str]) -> None:
        """Say which patterns mean nothing."""
        problems = unmatched(list(self.rules.custom_keys), paths, self.rules.match)
        for problem in problems:
            logger.warning("custom_keys: %s", problem)
        if self.rules.layer_decay is not None:
            for problem in unmatched(list(self.rules.layer_decay.layers), paths, "segments"):
                logger.warning("layer_decay: %s", problem)


def _lays_out_groups_itself(cls: type[DefaultOptimWrapperConstructor]) -> bool:
    return cls.add_params is not DefaultOptimWrapperConstructor.add_params


class _Lazily:
    """The table of options, drawn only when the message is shown."""

    def __init__(self, model: nn.Module, optimizer: Optimizer) -> None:
        self._args = model, optimizer

    def __str__(self) -> str:
        return param_table(*self._args)
