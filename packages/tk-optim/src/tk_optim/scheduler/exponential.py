"""Falling by a factor each step."""

from __future__ import annotations

from typing import Any

from tk_registry import PARAM_SCHEDULERS, at_least, check_values, value_rules

from ..errors import InvalidSettingError
from .curves import INF, Curve, ExponentialCurve
from .scheduler import _ParamScheduler
from .targets import LRSchedulerMixin, MomentumSchedulerMixin


@PARAM_SCHEDULERS.register_module()
@value_rules(gamma=at_least(0))
class ExponentialParamScheduler(_ParamScheduler):
    """Multiplies by ``gamma`` each step.

    Args:
        gamma: factor of one step.

    The window and what follows are as for ``_ParamScheduler``.
    """

    def __init__(
        self,
        optimizer: Any,
        param_name: str,
        gamma: float,
        begin: int = 0,
        end: int = INF,
        last_step: int = -1,
        by_epoch: bool = True,
        verbose: bool = False,
        *,
        count_updates: bool = False,
    ) -> None:
        check_values(ExponentialParamScheduler, locals(), InvalidSettingError)
        self.gamma = gamma
        super().__init__(
            optimizer,
            param_name,
            begin,
            end,
            last_step,
            by_epoch,
            verbose,
            count_updates=count_updates,
        )

    def _curve(self) -> Curve:
        return ExponentialCurve(self.gamma)


@PARAM_SCHEDULERS.register_module()
class ExponentialLR(LRSchedulerMixin, ExponentialParamScheduler):
    """``ExponentialParamScheduler`` of the learning rate."""


@PARAM_SCHEDULERS.register_module()
class ExponentialMomentum(MomentumSchedulerMixin, ExponentialParamScheduler):
    """``ExponentialParamScheduler`` of the momentum."""
