"""Rising, staying, and falling over the last steps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args

from tk_registry import PARAM_SCHEDULERS, check_values, count, one_of, value_rules

from ..errors import InvalidSettingError, refusals
from .curves import INF, Curve, DecayShape, WarmupStableDecayCurve, require_share
from .scheduler import _ParamScheduler, end_is_given
from .targets import LRSchedulerMixin, MomentumSchedulerMixin


def _curve_problems(start_factor: float, end_factor: float) -> Iterator[tuple[str, str]]:
    yield from refusals("start_factor", require_share, "start_factor", start_factor)
    yield from refusals("end_factor", require_share, "end_factor", end_factor)


@PARAM_SCHEDULERS.register_module()
@value_rules(
    _curve_problems,
    end_is_given,
    warmup=count(0),
    decay=count(0),
    decay_shape=one_of(*get_args(DecayShape)),
)
class WarmupStableDecayParamScheduler(_ParamScheduler):
    """Rises to the value, stays there, and falls over the last steps of the window.

    How long it stays follows from the window, so a longer run needs another
    ``end`` and nothing else; the stable part of a run can be continued.

    Args:
        warmup: steps of the rise; 0 for none.
        decay: last steps of the window, in which it falls; 0 for none.
        start_factor: factor at ``begin``, from 0 to 1.
        end_factor: factor at the last step of the window, from 0 to 1.
        decay_shape: ``linear``, ``cosine``, or ``sqrt`` for one minus the square root.

    The window and what follows are as for ``_ParamScheduler``.
    """

    epoch_arguments = ("warmup", "decay")

    def __init__(
        self,
        optimizer: Any,
        param_name: str,
        warmup: int,
        decay: int,
        start_factor: float = 0.0,
        end_factor: float = 0.0,
        decay_shape: DecayShape = "linear",
        begin: int = 0,
        end: int = INF,
        last_step: int = -1,
        by_epoch: bool = True,
        verbose: bool = False,
        *,
        count_updates: bool = False,
    ) -> None:
        check_values(WarmupStableDecayParamScheduler, locals(), InvalidSettingError)
        self.warmup = warmup
        self.decay = decay
        self.start_factor = start_factor
        self.end_factor = end_factor
        self.decay_shape: DecayShape = decay_shape
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
        return WarmupStableDecayCurve(
            self.warmup,
            self.decay,
            self._span + 1,
            self.start_factor,
            self.end_factor,
            self.decay_shape,
        )


@PARAM_SCHEDULERS.register_module()
class WarmupStableDecayLR(LRSchedulerMixin, WarmupStableDecayParamScheduler):
    """``WarmupStableDecayParamScheduler`` of the learning rate."""


@PARAM_SCHEDULERS.register_module()
class WarmupStableDecayMomentum(MomentumSchedulerMixin, WarmupStableDecayParamScheduler):
    """``WarmupStableDecayParamScheduler`` of the momentum."""
