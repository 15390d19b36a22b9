"""Falling by a factor at given steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tk_registry import PARAM_SCHEDULERS, at_least, check_values, value_rules

from ..errors import InvalidSettingError
from .curves import INF, Curve, MultiStepCurve
from .scheduler import _ParamScheduler
from .targets import LRSchedulerMixin, MomentumSchedulerMixin


@PARAM_SCHEDULERS.register_module()
@value_rules(gamma=at_least(0))
class MultiStepParamScheduler(_ParamScheduler):
    """Multiplies by ``gamma`` at each milestone.

    Args:
        milestones: steps, counted from ``begin``, at which the value falls; a
            repeated one falls twice.
        gamma: factor of one fall.

    The window and what follows are as for ``_ParamScheduler``.
    """

    epoch_arguments = ("milestones",)

    def __init__(
        self,
        optimizer: Any,
        param_name: str,
        milestones: Sequence[int],
        gamma: float = 0.1,
        last_step: int = -1,
        begin: int = 0,
        end: int = INF,
        by_epoch: bool = True,
        verbose: bool = False,
        *,
        count_updates: bool = False,
    ) -> None:
        check_values(MultiStepParamScheduler, locals(), InvalidSettingError)
        self.milestones = list(milestones)
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
        return MultiStepCurve(tuple(self.milestones), self.gamma)


@PARAM_SCHEDULERS.register_module()
class MultiStepLR(LRSchedulerMixin, MultiStepParamScheduler):
    """``MultiStepParamScheduler`` of the learning rate."""


@PARAM_SCHEDULERS.register_module()
class MultiStepMomentum(MomentumSchedulerMixin, MultiStepParamScheduler):
    """``MultiStepParamScheduler`` of the momentum."""
