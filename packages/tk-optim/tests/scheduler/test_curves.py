"""The curves, against torch's schedulers and against formulas written a second time."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import pytest
from optim_cases import make_optimizer
from torch.optim import Optimizer, lr_scheduler

from tk_optim import InvalidSettingError
from tk_optim.scheduler import curves

AGAINST_TORCH: dict[str, tuple[curves.Curve, Callable[[Optimizer], Any]]] = {
    "step": (curves.StepCurve(4, 0.3), lambda o: lr_scheduler.StepLR(o, 4, 0.3)),
    "multi_step": (
        curves.MultiStepCurve((3, 9, 9), 0.3),
        lambda o: lr_scheduler.MultiStepLR(o, [3, 9, 9], 0.3),
    ),
    "constant": (
        curves.ConstantCurve(0.25, 7),
        lambda o: lr_scheduler.ConstantLR(o, 0.25, total_iters=7),
    ),
    "exponential": (curves.ExponentialCurve(0.93), lambda o: lr_scheduler.ExponentialLR(o, 0.93)),
    "linear": (
        curves.LinearCurve(0.1, 0.8, 11),
        lambda o: lr_scheduler.LinearLR(o, 0.1, 0.8, total_iters=11),
    ),
    "cosine": (
        curves.CosineCurve(13, 0.02),
        lambda o: lr_scheduler.CosineAnnealingLR(o, 13, eta_min=0.02),
    ),
    "poly": (
        curves.PolyCurve(0.0, 0.9, 15),
        lambda o: lr_scheduler.PolynomialLR(o, total_iters=15, power=0.9),
    ),
    "restart": (
        curves.CosineRestartCurve((5, 10, 20), (1, 1, 1), 0.01),
        lambda o: lr_scheduler.CosineAnnealingWarmRestarts(o, 5, 2, eta_min=0.01),
    ),
    **{
        f"one_cycle-{strategy}-{phases}": (
            curves.OneCycleCurve((0.7,), 30, 0.3, strategy, 25.0, 1e4, phases),
            lambda o, strategy=strategy, phases=phases: lr_scheduler.OneCycleLR(
                o, 0.7, 30, anneal_strategy=strategy, cycle_momentum=False, three_phase=phases
            ),
        )
        for strategy in ("cos", "linear")
        for phases in (False, True)
    },
}


@pytest.mark.parametrize("name", AGAINST_TORCH)
def test_a_curve_agrees_with_torchs_scheduler(name: str) -> None:
    curve, make = AGAINST_TORCH[name]
    optimizer = make_optimizer(0.1)
    theirs = make(optimizer)

    for step in range(30):
        ours = curve(step, 0.1, 0.1, 0)
        # theirs goes from value to value, ours is one formula: float64 rounding only
        assert ours == pytest.approx(theirs.get_last_lr()[0], abs=1e-12), step
        optimizer.step()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs.step()


SECOND_FORMULAS: dict[str, tuple[curves.Curve, Callable[[int], float]]] = {
    "step": (curves.StepCurve(3, 0.5), lambda t: 2.0 * 0.5 ** math.floor(t / 3)),
    "multi_step": (
        curves.MultiStepCurve((5, 2, 5), 0.5),
        lambda t: 2.0 * 0.5 ** sum(mark <= t for mark in (2, 5, 5)),
    ),
    "poly": (
        curves.PolyCurve(0.2, 2.0, 8),
        lambda t: 0.2 + 1.8 * (1 - min(t, 8) / 8) ** 2,
    ),
    "cosine_ratio": (
        curves.CosineCurve(8, 0.0, 0.1),
        lambda t: 0.4 + 1.6 * (1 + math.cos(math.pi * t / 8)) / 2,  # base 4.0, start 2.0
    ),
    "restart_weight": (
        curves.CosineRestartCurve((4, 4), (1.0, 0.5), 0.0),
        lambda t: (2.0, 1.0, 1.0)[t // 4] * (1 + math.cos(math.pi * (min(t, 7) % 4) / 4)) / 2,
    ),
}


@pytest.mark.parametrize("name", SECOND_FORMULAS)
def test_a_curve_agrees_with_its_formula_written_again(name: str) -> None:
    curve, formula = SECOND_FORMULAS[name]

    for step in range(12):
        assert curve(step, 2.0, 4.0, 0) == pytest.approx(formula(step), abs=1e-12), step


def test_the_cosine_rises_again_after_its_length() -> None:
    curve = curves.CosineCurve(10)

    assert curve(20, 1.0, 1.0, 0) == pytest.approx(1.0, abs=1e-12)


def test_a_factor_of_zero_is_a_value_and_not_the_end() -> None:
    linear = curves.LinearCurve(0.0, 1.0, 4)
    constant = curves.ConstantCurve(0.0, 4)

    assert [linear(step, 1.0, 1.0, 0) for step in range(6)] == [0, 0.25, 0.5, 0.75, 1, 1]
    assert [constant(step, 1.0, 1.0, 0) for step in range(6)] == [0, 0, 0, 0, 1, 1]


def test_a_window_of_one_step_is_at_its_end() -> None:
    assert curves.LinearCurve(0.1, 0.5, 0)(0, 1.0, 1.0, 0) == 0.5
    assert curves.PolyCurve(0.2, 1.0, 0)(0, 1.0, 1.0, 0) == 0.2
    assert curves.ConstantCurve(0.1, 0)(0, 1.0, 1.0, 0) == 1.0


def test_a_plateau_falls_to_its_minimum_and_not_below() -> None:
    def fallen(reductions: int) -> float:
        return curves.PlateauCurve(0.5, (0.2,), 1e-8, reductions)(0, 1.0, 1.0, 0)

    assert [fallen(count) for count in range(5)] == [1.0, 0.5, 0.25, 0.2, 0.2]


def test_a_plateau_leaves_out_falls_that_are_too_small() -> None:
    curve = curves.PlateauCurve(0.5, (0.0,), eps=0.3, reductions=5)

    assert curve(0, 1.0, 1.0, 0) == 0.5


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: curves.StepCurve(0), "step_size=0 never falls"),
        (lambda: curves.ConstantCurve(1.5, 3), "factor=1.5 is not from 0 to 1"),
        (lambda: curves.LinearCurve(-0.1, 1.0, 3), "start_factor=-0.1 is not"),
        (lambda: curves.LinearCurve(0.1, 1.1, 3), "end_factor=1.1 is not"),
        (lambda: curves.CosineCurve(0), "T_max=0 has no length"),
        (lambda: curves.CosineRestartCurve((3, 4), (1,)), "2 periods but 1 restart_weights"),
        (lambda: curves.CosineRestartCurve((3, 0), (1, 1)), "each period needs one step"),
        (lambda: curves.either_minimum(0.1, 0.1), "both set the minimum"),
    ],
)
def test_a_setting_that_cannot_work_is_refused(make: Callable[[], Any], text: str) -> None:
    with pytest.raises(InvalidSettingError, match=text):
        make()


def test_settings_are_builtins() -> None:
    assert curves.MultiStepCurve((1, 2)).settings() == {"milestones": [1, 2], "gamma": 0.1}
