"""Half cosines with restarts."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Any

from tk_registry import PARAM_SCHEDULERS, value_rules

from ..errors import InvalidSettingError, refusals
from .curves import INF, CosineRestartCurve, Curve, either_minimum
from .scheduler import _ParamScheduler
from .targets import LRSchedulerMixin, MomentumSchedulerMixin


def _curve_problems(
    periods: Sequence[int],
    restart_weights: Sequence[float],
    eta_min: float | None,
    eta_min_ratio: float | None,
) -> Iterator[tuple[str, str]]:
    yield from refusals("periods", CosineRestartCurve, tuple(periods), tuple(restart_weights))
    yield from refusals("eta_min", _minimum, eta_min, eta_min_ratio)


def _minimum(eta_min: float | None, eta_min_ratio: float | None) -> tuple[float, float | None]:
    if eta_min is None and eta_min_ratio is None:
        raise InvalidSettingError(
            "a restarting cosine needs its minimum: give eta_min or eta_min_ratio"
        )
    return either_minimum(eta_min, eta_min_ratio)


@PARAM_SCHEDULERS.register_module()
@value_rules(_curve_problems)
class CosineRestartParamScheduler(_ParamScheduler):
    """Falls along half a cosine in each period and starts the next one anew.

    Args:
        periods: steps of each period; after the last one the value stays.
        restart_weights: factor of the start of each period.
        eta_min: the minimum of each period.
        eta_min_ratio: the minimum as a share of the base value; one of the two.

    The window and what follows are as for ``_ParamScheduler``.
    """

    epoch_arguments = ("periods",)

    def __init__(
        self,
        optimizer: Any,
        param_name: str,
        periods: Sequence[int],
        restart_weights: Sequence[float] = (1,),
        eta_min: float | None = None,
        eta_min_ratio: float | None = None,
        begin: int = 0,
        end: int = INF,
        last_step: int = -1,
        by_epoch: bool = True,
        verbose: bool = False,
        *,
        count_updates: bool = False,
    ) -> None:
        self.periods = list(periods)
        self.restart_weights = list(restart_weights)
        self.eta_min = eta_min
        self.eta_min_ratio = eta_min_ratio
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
        floor, ratio = _minimum(self.eta_min, self.eta_min_ratio)
        return CosineRestartCurve(tuple(self.periods), tuple(self.restart_weights), floor, ratio)

    @staticmethod
    def get_position_from_periods(iteration: int, cumulative_periods: Sequence[int]) -> int | None:
        """Index of the period that holds ``iteration``; None after the last one."""
        index = bisect_right(list(cumulative_periods), iteration)
        return index if index < len(cumulative_periods) else None


@PARAM_SCHEDULERS.register_module()
class CosineRestartLR(LRSchedulerMixin, CosineRestartParamScheduler):
    """``CosineRestartParamScheduler`` of the learning rate."""


@PARAM_SCHEDULERS.register_module()
class CosineRestartMomentum(MomentumSchedulerMixin, CosineRestartParamScheduler):
    """``CosineRestartParamScheduler`` of the momentum."""
