"""A straight line between two factors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tk_registry import PARAM_SCHEDULERS, value_rules

from ..errors import refusals
from .curves import INF, Curve, LinearCurve, require_share
from .scheduler import _ParamScheduler, end_is_given
from .targets import LRSchedulerMixin, MomentumSchedulerMixin


def _curve_problems(start_factor: float, end_factor: float) -> Iterator[tuple[str, str]]:
    yield from refusals("start_factor", require_share, "start_factor", start_factor)
    yield from refusals("end_factor", require_share, "end_factor", end_factor)


@PARAM_SCHEDULERS.register_module()
@value_rules(_curve_problems, end_is_given)
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
