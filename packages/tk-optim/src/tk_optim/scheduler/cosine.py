"""Falling along half a cosine."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tk_registry import PARAM_SCHEDULERS, value_rules

from ..errors import refusals
from .curves import INF, CosineCurve, Curve, either_minimum
from .scheduler import _ParamScheduler, end_is_given
from .targets import LRSchedulerMixin, MomentumSchedulerMixin


def _curve_problems(
    T_max: int | None,  # noqa: N803  # the name that configs use
    eta_min: float | None,
    eta_min_ratio: float | None,
    end: int,
) -> Iterator[tuple[str, str]]:
    yield from refusals("eta_min_ratio", either_minimum, eta_min, eta_min_ratio)
    if T_max is None:
        yield from end_is_given(end)
    else:
        yield from refusals("T_max", CosineCurve, T_max)


@PARAM_SCHEDULERS.register_module()
@value_rules(_curve_problems)
class CosineAnnealingParamScheduler(_ParamScheduler):
    """Falls from the value at ``begin`` to a minimum along half a cosine.

    Args:
        T_max: steps of the fall; by default the window. The value rises again after it.
        eta_min: the minimum; 0 when ``eta_min_ratio`` is not given either.

    The window and what follows are as for ``_ParamScheduler``.
    """

    epoch_arguments = ("T_max",)

    def __init__(
        self,
        optimizer: Any,
        param_name: str,
        T_max: int | None = None,  # noqa: N803  # the name that configs use
        eta_min: float | None = None,
        begin: int = 0,
        end: int = INF,
        last_step: int = -1,
        by_epoch: bool = True,
        verbose: bool = False,
        eta_min_ratio: float | None = None,
        *,
        count_updates: bool = False,
    ) -> None:
        self.T_max = T_max
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
        total = self.T_max
        if total is None:
            total = self.end - self.begin
            self._require_end()
        return CosineCurve(total, *either_minimum(self.eta_min, self.eta_min_ratio))


@PARAM_SCHEDULERS.register_module()
class CosineAnnealingLR(LRSchedulerMixin, CosineAnnealingParamScheduler):
    """``CosineAnnealingParamScheduler`` of the learning rate."""


@PARAM_SCHEDULERS.register_module()
class CosineAnnealingMomentum(MomentumSchedulerMixin, CosineAnnealingParamScheduler):
    """``CosineAnnealingParamScheduler`` of the momentum."""
