"""Every curve as a function of the step, with its source.

A curve is called with ``step``, the steps since its window began; ``start``,
the value that reaches it from the schedules before it; ``base``, the value the
optimizer was built with; and ``group``, the index of the parameter group. It
returns the value and remembers nothing: whatever order the steps are asked in,
the answers are the same. Nothing here knows about optimizers.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import accumulate
from typing import Any, Literal

from ..errors import InvalidSettingError

INF = 10**9
"""The end of a window that has none; MMEngine's number."""


def half_cosine(turn: float) -> float:
    """From 1.0 at ``turn`` 0 to 0.0 at ``turn`` 1 along half a cosine, and up again after it."""
    return (1.0 + math.cos(math.pi * turn)) / 2.0


class Curve:
    """What every curve can do; a subclass is a frozen dataclass of its settings."""

    def __call__(self, step: int, start: float, base: float, group: int) -> float:
        """The value ``step`` steps into the window."""
        return self._value(step, start, base, group)

    def _value(self, step: int, start: float, base: float, group: int) -> float:
        raise NotImplementedError

    def settings(self) -> dict[str, Any]:
        """The settings as builtins, for a checkpoint or a message."""
        shown = asdict(self)  # type: ignore[call-overload]  # subclasses are dataclasses
        return {
            key: list(value) if isinstance(value, tuple) else value for key, value in shown.items()
        }


@dataclass(frozen=True)
class StepCurve(Curve):
    """``start * gamma ** (step // step_size)``: a fall every ``step_size`` steps."""

    step_size: int
    gamma: float = 0.1

    def __post_init__(self) -> None:
        if self.step_size < 1:
            raise InvalidSettingError(f"step_size={self.step_size} never falls; use 1 or more")

    def _value(self, step: int, start: float, base: float, group: int) -> float:
        return start * float(self.gamma ** (step // self.step_size))


@dataclass(frozen=True)
class MultiStepCurve(Curve):
    """``start * gamma ** (milestones that are not after step)``; a repeated one counts twice."""

    milestones: tuple[int, ...]
    gamma: float = 0.1

    def _value(self, step: int, start: float, base: float, group: int) -> float:
        return start * float(self.gamma ** bisect_right(sorted(self.milestones), step))


@dataclass(frozen=True)
class ConstantCurve(Curve):
    """``start * factor`` before the last step of the window, ``start`` from it on."""

    factor: float
    last: int

    def __post_init__(self) -> None:
        require_share("factor", self.factor)

    def _value(self, step: int, start: float, base: float, group: int) -> float:
        return start * self.factor if step < self.last else start


@dataclass(frozen=True)
class ExponentialCurve(Curve):
    """``start * gamma ** step``."""

    gamma: float

    def _value(self, step: int, start: float, base: float, group: int) -> float:
        return start * float(self.gamma**step)


@dataclass(frozen=True)
class LinearCurve(Curve):
    """A straight line from ``start * start_factor`` to ``start * end_factor`` at step ``last``.

    Source of its use as a warm-up: Goyal et al. 2017, section 2.2.
    """

    start_factor: float
    end_factor: float
    last: int

    def __post_init__(self) -> None:
        require_share("start_factor", self.start_factor)
        require_share("end_factor", self.end_factor)

    def _value(self, step: int, start: float, base: float, group: int) -> float:
        turn = progress(step, self.last)
        return start * (self.start_factor + (self.end_factor - self.start_factor) * turn)


@dataclass(frozen=True)
class CosineCurve(Curve):
    """Half a cosine from ``start`` to the minimum at ``total``; rises again after it.

    Source: Loshchilov and Hutter 2017 (SGDR), equation 5, without restarts.
    ``eta_min_ratio`` is a share of the base value.
    """

    total: int
    eta_min: float = 0.0
    eta_min_ratio: float | None = None

    def __post_init__(self) -> None:
        if self.total < 1:
            raise InvalidSettingError(f"T_max={self.total} has no length; use 1 or more")

    def _value(self, step: int, start: float, base: float, group: int) -> float:
        floor = minimum(base, self.eta_min, self.eta_min_ratio)
        return floor + (start - floor) * half_cosine(step / self.total)


@dataclass(frozen=True)
class PolyCurve(Curve):
    """``eta_min + (start - eta_min) * (1 - step / last) ** power``.

    Source: Chen et al. 2018 (DeepLab), the "poly" policy.
    """

    eta_min: float
    power: float
    last: int

    def _value(self, step: int, start: float, base: float, group: int) -> float:
        left = 1.0 - progress(step, self.last)
        return self.eta_min + (start - self.eta_min) * float(left**self.power)


@dataclass(frozen=True)
class CosineRestartCurve(Curve):
    """One half cosine a period, each from ``start * weight``; still after the last period.

    Source: Loshchilov and Hutter 2017 (SGDR). After the last period the value
    of its last step stays.
    """

    periods: tuple[int, ...]
    restart_weights: tuple[float, ...]
    eta_min: float = 0.0
    eta_min_ratio: float | None = None

    def __post_init__(self) -> None:
        if len(self.periods) != len(self.restart_weights):
            raise InvalidSettingError(
                f"{len(self.periods)} periods but {len(self.restart_weights)} restart_weights; "
                "give one weight for each period"
            )
        if not self.periods or min(self.periods) < 1:
            raise InvalidSettingError(
                f"periods={list(self.periods)}: each period needs one step or more"
            )

    def _value(self, step: int, start: float, base: float, group: int) -> float:
        ends = list(accumulate(self.periods))
        inside = min(step, ends[-1] - 1)
        index = bisect_right(ends, inside)
        turn = (inside - ends[index] + self.periods[index]) / self.periods[index]
        floor = minimum(base, self.eta_min, self.eta_min_ratio)
        return floor + (start * self.restart_weights[index] - floor) * half_cosine(turn)


DecayShape = Literal["linear", "cosine", "sqrt"]


@dataclass(frozen=True)
class WarmupStableDecayCurve(Curve):
    """A rise over ``warmup`` steps, a fall over the last ``decay`` of ``total``, the start between.

    Sources: Hu et al. 2024 (MiniCPM); Hägele et al. 2024 for ``1 - sqrt`` as the shape.
    """

    warmup: int
    decay: int
    total: int
    start_factor: float = 0.0
    end_factor: float = 0.0
    shape: DecayShape = "linear"

    def __post_init__(self) -> None:
        if self.warmup + self.decay > self.total:
            raise InvalidSettingError(
                f"warmup={self.warmup} and decay={self.decay} take more than the "
                f"{self.total} steps from begin to end; shorten one of them or raise end"
            )

    def _value(self, step: int, start: float, base: float, group: int) -> float:
        if step < self.warmup:
            return start * (self.start_factor + (1.0 - self.start_factor) * step / self.warmup)
        fallen = step + 1 - (self.total - self.decay)
        if fallen <= 0:
            return start
        left = self._left(min(fallen / self.decay, 1.0)) if self.decay else 1.0
        return start * (self.end_factor + (1.0 - self.end_factor) * left)

    def _left(self, turn: float) -> float:
        """What is left of the fall, from 1.0 to 0.0."""
        if self.shape == "cosine":
            return half_cosine(turn)
        return 1.0 - (math.sqrt(turn) if self.shape == "sqrt" else turn)


@dataclass(frozen=True)
class OneCycleCurve(Curve):
    """Up from ``eta_max / div_factor`` to ``eta_max`` and down to almost nothing.

    Source: Smith and Topin 2018 (super-convergence), in the form of
    ``torch.optim.lr_scheduler.OneCycleLR``: the peak is at step
    ``pct_start * total - 1``. The value does not depend on ``start``.
    """

    eta_max: tuple[float, ...]
    total: int
    pct_start: float
    anneal_strategy: str
    div_factor: float
    final_div_factor: float
    three_phase: bool

    def _value(self, step: int, start: float, base: float, group: int) -> float:
        if step > self.total:
            raise InvalidSettingError(
                f"the one-cycle schedule has {self.total} steps and is asked for step {step}; "
                "give the number of steps of the run as total_steps or end"
            )
        inside = min(step, self.total - 1)
        left_edge = 0.0
        for right_edge, left, right in self._phases(group):
            if inside <= right_edge or right_edge >= self.total - 1:
                turn = (
                    (inside - left_edge) / (right_edge - left_edge)
                    if right_edge > left_edge
                    else 1.0
                )
                share = half_cosine(turn) if self.anneal_strategy == "cos" else 1.0 - turn
                return right + (left - right) * share
            left_edge = right_edge
        raise AssertionError("the last phase ends at the last step")

    def _phases(self, group: int) -> list[tuple[float, float, float]]:
        """Last step, first value and last value of each phase."""
        peak = self.eta_max[group] if len(self.eta_max) > 1 else self.eta_max[0]
        low = peak / self.div_factor
        final = low / self.final_div_factor
        up = self.pct_start * self.total - 1
        if self.three_phase:
            return [(up, low, peak), (2 * up, peak, low), (self.total - 1, low, final)]
        return [(up, low, peak), (self.total - 1, peak, final)]


@dataclass(frozen=True)
class PlateauCurve(Curve):
    """``start`` lowered ``reductions`` times by ``factor``, never under the group's minimum.

    A fall of ``eps`` or less is not made, as in torch's ``ReduceLROnPlateau``.
    """

    factor: float
    min_value: tuple[float, ...]
    eps: float
    reductions: int = 0

    def _value(self, step: int, start: float, base: float, group: int) -> float:
        floor = self.min_value[group] if len(self.min_value) > 1 else self.min_value[0]
        value = start
        for _ in range(self.reductions):
            lowered = max(value * self.factor, floor)
            if value - lowered <= self.eps:
                break
            value = lowered
        return value


def progress(step: int, last: int) -> float:
    """Share of the way from step 0 to step ``last``; a window of one step is at its end."""
    return min(step / last, 1.0) if last > 0 else 1.0


def minimum(base: float, eta_min: float, eta_min_ratio: float | None) -> float:
    """The floor of a cosine: a value, or a share of the base value."""
    return eta_min if eta_min_ratio is None else base * eta_min_ratio


def require_share(name: str, value: float) -> None:
    """Refuse a factor outside 0 to 1, which would rather be a change of the base value."""
    if not 0.0 <= value <= 1.0:
        raise InvalidSettingError(
            f"{name}={value} is not from 0 to 1; raise the value in the optimizer's settings and "
            f"keep the factors at 1 or below"
        )


def either_minimum(
    eta_min: float | None, eta_min_ratio: float | None
) -> tuple[float, float | None]:
    """The two ways to give a floor, of which at most one is used; 0 without either."""
    if eta_min is not None and eta_min_ratio is not None:
        raise InvalidSettingError(
            f"eta_min={eta_min} and eta_min_ratio={eta_min_ratio} both set the minimum; give one"
        )
    return (0.0 if eta_min is None else eta_min), eta_min_ratio


def as_numbers(value: float | Sequence[float]) -> tuple[float, ...]:
    """One number for every group, or one for each, as a tuple."""
    return tuple(value) if isinstance(value, Sequence) else (value,)
