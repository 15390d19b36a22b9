"""Falling when a metric has stopped to improve."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from torch.optim import Optimizer

from tk_registry import (
    PARAM_SCHEDULERS,
    Rule,
    at_least,
    check_values,
    did_you_mean,
    one_of,
    value_rules,
)

from ..chain import Target
from ..errors import InvalidSettingError, InvalidTypeError, UnknownKeyError
from .curves import INF, Curve, PlateauCurve, as_numbers
from .scheduler import _ParamScheduler
from .targets import LRSchedulerMixin, MomentumSchedulerMixin

_COUNTERS = ("best", "num_bad_epochs", "cooldown_counter", "reductions")


@PARAM_SCHEDULERS.register_module()
@value_rules(
    by_epoch=Rule("True, since metrics come after epochs", bool),
    factor=Rule("a number below 1, to lower anything", lambda value: value < 1),
    threshold=at_least(0),
    rule=one_of("less", "greater"),
    threshold_rule=one_of("rel", "abs"),
)
class ReduceOnPlateauParamScheduler(_ParamScheduler):
    """Multiplies by ``factor`` when a metric has not improved for more than ``patience`` times.

    ``step()`` counts an epoch; ``step(metrics)`` judges the metrics of one
    validation and counts nothing. How often the value fell is a part of the
    state; the value follows from it.

    Args:
        optimizer: a torch optimizer or a wrapper of one.
        param_name: entry of the groups that is driven.
        monitor: name of the metric.
        rule: ``less`` or ``greater``: what is an improvement.
        factor: factor of one fall, less than 1.
        patience: judgements without improvement that are borne.
        threshold: the least change that counts, 0 or more.
        threshold_rule: ``rel`` to the best value, or ``abs``.
        cooldown: judgements after a fall in which nothing counts as bad.
        min_value: the value never falls below it; one for all groups or one each.
        eps: a fall of this size or less is not made.
        begin: first epoch in which metrics are judged.
        end: epoch after the last one of these.
        last_step: see ``_ParamScheduler``, like the others.
        by_epoch: must be true.
        verbose: log each new value.
    """

    need_val_args = True

    def __init__(
        self,
        optimizer: Any,
        param_name: str,
        monitor: str = "loss",
        rule: str = "less",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_rule: str = "rel",
        cooldown: int = 0,
        min_value: float | Sequence[float] = 0.0,
        eps: float = 1e-8,
        begin: int = 0,
        end: int = INF,
        last_step: int = -1,
        by_epoch: bool = True,
        verbose: bool = False,
    ) -> None:
        check_values(ReduceOnPlateauParamScheduler, locals(), InvalidSettingError)
        self.monitor = monitor
        self.rule = rule
        self.factor = factor
        self.patience = patience
        self.threshold = threshold
        self.threshold_rule = threshold_rule
        self.cooldown = cooldown
        self.min_value = min_value
        self.eps = eps
        self.best = math.inf if rule == "less" else -math.inf
        self.num_bad_epochs = 0
        self.cooldown_counter = 0
        self._reductions = 0
        super().__init__(optimizer, param_name, begin, end, last_step, by_epoch, verbose)

    @property
    def reductions(self) -> int:
        """How often the value fell."""
        return self._reductions

    def step(self, metrics: Mapping[str, Any] | None = None) -> None:
        """Count one epoch, or judge the metrics of a validation.

        Args:
            metrics: results by name, numbers or tensors of one element; None counts.
        """
        if metrics is None:
            super().step()
            return
        if not isinstance(metrics, Mapping):
            raise InvalidTypeError(
                f"metrics must be a dict of results by name, got {type(metrics).__name__}"
            )
        if self.monitor not in metrics:
            raise UnknownKeyError(
                f"the metrics hold no {self.monitor!r}, which this schedule monitors; "
                f"{did_you_mean(self.monitor, metrics)}"
            )
        if self.begin <= self.global_step < self.end:
            self._judge(float(metrics[self.monitor]))
        self._write()

    def state_dict(self) -> dict[str, Any]:
        """The position and the counters, as builtins."""
        counters = {name: getattr(self, name) for name in _COUNTERS}
        return {**super().state_dict(), **counters}

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Go to the saved position and counters; the settings stay those of this object."""
        if missing := [name for name in _COUNTERS if name not in state_dict]:
            raise UnknownKeyError(
                f"the state of {type(self).__name__} lacks {', '.join(missing)}; "
                "give what state_dict() returned"
            )
        self.best = float(state_dict["best"])
        self.num_bad_epochs = int(state_dict["num_bad_epochs"])
        self.cooldown_counter = int(state_dict["cooldown_counter"])
        self._lower_to(int(state_dict["reductions"]))
        super().load_state_dict(state_dict)

    def _curve(self) -> Curve:
        return PlateauCurve(self.factor, as_numbers(self.min_value), self.eps, self._reductions)

    def _lower_to(self, reductions: int) -> None:
        self._reductions = reductions
        self._link.curve = self._curve()

    def _settings(self) -> dict[str, Any]:
        settings = super()._settings()
        del settings["reductions"]  # state, not a setting
        return settings

    def _target(self, optimizer: Optimizer) -> Target:
        floors, groups = len(as_numbers(self.min_value)), len(optimizer.param_groups)
        if floors not in (1, groups):
            raise InvalidSettingError(
                f"min_value has {floors} values for {groups} parameter groups; "
                "give one, or one each"
            )
        return super()._target(optimizer)

    def _judge(self, value: float) -> None:
        if self._is_better(value):
            self.best = value
            self.num_bad_epochs = 0
        else:
            self.num_bad_epochs += 1
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self._lower_to(self._reductions + 1)
            self.cooldown_counter = self.cooldown
            self.num_bad_epochs = 0

    def _is_better(self, value: float) -> bool:
        """Whether ``value`` beats the best by more than the threshold; the first one does."""
        if math.isinf(self.best):
            return not math.isnan(value)
        margin = self.threshold * abs(self.best) if self.threshold_rule == "rel" else self.threshold
        return value < self.best - margin if self.rule == "less" else value > self.best + margin


@PARAM_SCHEDULERS.register_module()
class ReduceOnPlateauLR(LRSchedulerMixin, ReduceOnPlateauParamScheduler):
    """``ReduceOnPlateauParamScheduler`` of the learning rate."""


@PARAM_SCHEDULERS.register_module()
class ReduceOnPlateauMomentum(MomentumSchedulerMixin, ReduceOnPlateauParamScheduler):
    """``ReduceOnPlateauParamScheduler`` of the momentum."""
