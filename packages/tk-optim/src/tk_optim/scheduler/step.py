"""Falling by a factor every so many steps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tk_registry import PARAM_SCHEDULERS, at_least, check_values, value_rules

from ..errors import InvalidSettingError, refusals
from .curves import INF, Curve, StepCurve
from .scheduler import _ParamScheduler
from .targets import LRSchedulerMixin, MomentumSchedulerMixin


def _curve_problems(step_size: int, gamma: float) -> Iterator[tuple[str, str]]:
    yield from refusals("step_size", StepCurve, step_size, gamma)


@PARAM_SCHEDULERS.register_module()
@value_rules(_curve_problems, gamma=at_least(0))
class StepParamScheduler(_ParamScheduler):
    """Multiplies by ``gamma`` every ``step_size`` steps.

    Args:
        step_size: steps from one fall to the next.
        gamma: factor of one fall.

    The window and what follows are as for ``_ParamScheduler``.
    """

    epoch_arguments = ("step_size",)

    def __init__(
        self,
        optimizer: Any,
        param_name: str,
        step_size: int,
        gamma: float = 0.1,
        begin: int = 0,
        end: int = INF,
        last_step: int = -1,
        by_epoch: bool = True,
        verbose: bool = False,
        *,
        count_updates: bool = False,
    ) -> None:
        check_values(StepParamScheduler, locals(), InvalidSettingError)
        self.step_size = step_size
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
        return StepCurve(self.step_size, self.gamma)


@PARAM_SCHEDULERS.register_module()
class StepLR(LRSchedulerMixin, StepParamScheduler):
    """``StepParamScheduler`` of the learning rate."""


@PARAM_SCHEDULERS.register_module()
class StepMomentum(MomentumSchedulerMixin, StepParamScheduler):
    """``StepParamScheduler`` of the momentum."""
