"""A straight line between two factors."""

from __future__ import annotations

from typing import Any

from tk_registry import PARAM_SCHEDULERS

from .curves import INF, Curve, LinearCurve
from .scheduler import _ParamScheduler
from .targets import LRSchedulerMixin, MomentumSchedulerMixin


@PARAM_SCHEDULERS.register_module()
class LinearParamScheduler(_ParamScheduler):
    """Goes from ``start_factor`` to ``end_factor`` of the value along a straight line.

    With a window of one step the line is at its end at once.

    Args:
        start_factor: factor at ``begin``, from 0 to 1.
        end_factor: factor at the last step of the window, from 0 to 1.

    The window and what follows are as for ``_ParamScheduler``.
    """

    def __init__(
        self,
        optimizer: Any,
        param_name: str,
        start_factor: float = 1.0 / 3,
        end_factor: float = 1.0,
        begin: int = 0,
        end: int = INF,
        last_step: int = -1,
        by_epoch: bool = True,
        verbose: bool = False,
        *,
        count_updates: bool = False,
    ) -> None:
        self.start_factor = start_factor
        self.end_factor = end_factor
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
        curve = LinearCurve(self.start_factor, self.end_factor, self._span)
        self._require_end()
        return curve


@PARAM_SCHEDULERS.register_module()
class LinearLR(LRSchedulerMixin, LinearParamScheduler):
    """``LinearParamScheduler`` of the learning rate."""


@PARAM_SCHEDULERS.register_module()
class LinearMomentum(MomentumSchedulerMixin, LinearParamScheduler):
    """``LinearParamScheduler`` of the momentum."""
