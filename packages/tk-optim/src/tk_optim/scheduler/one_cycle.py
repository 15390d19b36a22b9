"""One rise and one fall over the whole run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch.optim import Optimizer

from tk_registry import (
    PARAM_SCHEDULERS,
    between,
    check_values,
    count,
    more_than,
    one_of,
    value_rules,
)

from ..chain import Target
from ..errors import InvalidSettingError
from .curves import INF, Curve, OneCycleCurve, as_numbers
from .scheduler import _ParamScheduler
from .targets import LRSchedulerMixin


@PARAM_SCHEDULERS.register_module()
@value_rules(
    pct_start=between(0, 1),
    anneal_strategy=one_of("cos", "linear"),
    div_factor=more_than(0),
    final_div_factor=more_than(0),
    total_steps=count(1) | one_of(None),
)
class OneCycleParamScheduler(_ParamScheduler):
    """Rises to ``eta_max`` and falls to almost nothing, once.

    Sets the learning rate itself: what the optimizer was built with does not count.

    Args:
        eta_max: the peak, one for all groups or one each.
        total_steps: steps of the whole cycle; by default the window.
        pct_start: share of the steps spent on the rise.
        anneal_strategy: ``cos`` or ``linear``.
        div_factor: the peak over the first value.
        final_div_factor: the first value over the last one.
        three_phase: fall back to the first value before the last fall.

    The window and what follows are as for ``_ParamScheduler``.
    """

    epoch_arguments = ("total_steps",)

    def __init__(
        self,
        optimizer: Any,
        param_name: str,
        eta_max: float | Sequence[float] = 0,
        total_steps: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        begin: int = 0,
        end: int = INF,
        last_step: int = -1,
        by_epoch: bool = True,
        verbose: bool = False,
        *,
        count_updates: bool = False,
    ) -> None:
        if param_name != "lr":
            raise InvalidSettingError(
                f"param_name={param_name!r}: the one-cycle schedule is of the learning rate; "
                "give 'lr'"
            )
        check_values(OneCycleParamScheduler, locals(), InvalidSettingError)
        self.eta_max = eta_max
        self.total_steps = total_steps
        self.pct_start = pct_start
        self.anneal_strategy = anneal_strategy
        self.div_factor = div_factor
        self.final_div_factor = final_div_factor
        self.three_phase = three_phase
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
        total = self.total_steps
        if total is None:
            total = self.end - self.begin
            self._require_end()
        return OneCycleCurve(
            as_numbers(self.eta_max),
            total,
            self.pct_start,
            self.anneal_strategy,
            self.div_factor,
            self.final_div_factor,
            self.three_phase,
        )

    def _target(self, optimizer: Optimizer) -> Target:
        peaks, groups = len(as_numbers(self.eta_max)), len(optimizer.param_groups)
        if peaks not in (1, groups):
            raise InvalidSettingError(
                f"eta_max has {peaks} values for {groups} parameter groups; give one, or one each"
            )
        return super()._target(optimizer)


@PARAM_SCHEDULERS.register_module()
class OneCycleLR(LRSchedulerMixin, OneCycleParamScheduler):
    """``OneCycleParamScheduler`` of the learning rate."""
