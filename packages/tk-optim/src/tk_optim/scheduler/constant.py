"""A constant factor until the end of the window."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tk_registry import PARAM_SCHEDULERS, value_rules

from ..errors import refusals
from .curves import INF, ConstantCurve, Curve, require_share
from .scheduler import _ParamScheduler
from .targets import LRSchedulerMixin, MomentumSchedulerMixin


def _curve_problems(factor: float) -> Iterator[tuple[str, str]]:
    yield from refusals("factor", require_share, "factor", factor)


@PARAM_SCHEDULERS.register_module()
@value_rules(_curve_problems)
class ConstantParamScheduler(_ParamScheduler):
    """Multiplies by ``factor`` before the last step of the window, by 1 from it on.

    Args:
        factor: from 0 to 1; 0 is allowed and gives the value back at the end.

    The window and what follows are as for ``_ParamScheduler``.
    """

    def __init__(
        self,
        optimizer: Any,
        param_name: str,
        factor: float = 1.0 / 3,
        begin: int = 0,
        end: int = INF,
        last_step: int = -1,
        by_epoch: bool = True,
        verbose: bool = False,
        *,
        count_updates: bool = False,
    ) -> None:
        self.factor = factor
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
        return ConstantCurve(self.factor, self._span)


@PARAM_SCHEDULERS.register_module()
class ConstantLR(LRSchedulerMixin, ConstantParamScheduler):
    """``ConstantParamScheduler`` of the learning rate."""


@PARAM_SCHEDULERS.register_module()
class ConstantMomentum(MomentumSchedulerMixin, ConstantParamScheduler):
    """``ConstantParamScheduler`` of the momentum."""
