"""Falling along a power of what is left."""

from __future__ import annotations

from typing import Any

from tk_registry import PARAM_SCHEDULERS, value_rules

from .curves import INF, Curve, PolyCurve
from .scheduler import _ParamScheduler, end_is_given
from .targets import LRSchedulerMixin, MomentumSchedulerMixin


@PARAM_SCHEDULERS.register_module()
@value_rules(end_is_given)
class PolyParamScheduler(_ParamScheduler):
    """Falls to ``eta_min`` along a power of the share of the window that is left.

    Args:
        eta_min: the value at the last step of the window.
        power: 1 is a straight line; more falls faster at first.

    The window and what follows are as for ``_ParamScheduler``.
    """

    def __init__(
        self,
        optimizer: Any,
        param_name: str,
        eta_min: float = 0,
        power: float = 1.0,
        begin: int = 0,
        end: int = INF,
        last_step: int = -1,
        by_epoch: bool = True,
        verbose: bool = False,
        *,
        count_updates: bool = False,
    ) -> None:
        self.eta_min = eta_min
        self.power = power
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
        self._require_end()
        return PolyCurve(self.eta_min, self.power, self._span)


@PARAM_SCHEDULERS.register_module()
class PolyLR(LRSchedulerMixin, PolyParamScheduler):
    """``PolyParamScheduler`` of the learning rate."""


@PARAM_SCHEDULERS.register_module()
class PolyMomentum(MomentumSchedulerMixin, PolyParamScheduler):
    """``PolyParamScheduler`` of the momentum."""
