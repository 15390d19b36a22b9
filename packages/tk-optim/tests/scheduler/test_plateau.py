"""Falling when a metric stops to improve."""

from __future__ import annotations

import io
import math
import random

import pytest
import torch
from optim_cases import make_optimizer, rates
from torch.optim.lr_scheduler import ReduceLROnPlateau

from tk_optim import InvalidSettingError, InvalidTypeError, UnknownKeyError
from tk_optim.scheduler import ReduceOnPlateauLR, ReduceOnPlateauMomentum


@pytest.mark.parametrize("rule", ["less", "greater"])
@pytest.mark.parametrize("threshold_rule", ["rel", "abs"])
@pytest.mark.parametrize("cooldown", [0, 2])
def test_it_agrees_with_torch(rule: str, threshold_rule: str, cooldown: int) -> None:
    ours, theirs = make_optimizer(1.0), make_optimizer(1.0)
    schedule = ReduceOnPlateauLR(
        ours, rule=rule, patience=1, factor=0.5, threshold=0.1, threshold_rule=threshold_rule,
        cooldown=cooldown, min_value=0.01,
    )  # fmt: skip
    other = ReduceLROnPlateau(
        theirs, mode="min" if rule == "less" else "max", patience=1, factor=0.5, threshold=0.1,
        threshold_mode=threshold_rule, cooldown=cooldown, min_lr=0.01,
    )  # fmt: skip
    draw = random.Random(0)
    for _ in range(40):
        value = draw.uniform(1.0, 2.0)
        schedule.step()
        schedule.step({"loss": value})
        other.step(value)

        assert rates(ours) == pytest.approx(rates(theirs), abs=1e-12)


def test_it_asks_for_metrics() -> None:
    assert ReduceOnPlateauLR.need_val_args


def test_a_step_without_metrics_counts_only() -> None:
    optimizer = make_optimizer(1.0)
    schedule = ReduceOnPlateauLR(optimizer, patience=0)
    for _ in range(5):
        schedule.step()

    assert (schedule.global_step, rates(optimizer)) == (5, [1.0])


def test_metrics_outside_the_window_are_not_judged() -> None:
    optimizer = make_optimizer(1.0)
    schedule = ReduceOnPlateauLR(optimizer, patience=0, begin=3, end=5)
    for _ in range(3):
        schedule.step({"loss": 1.0})

    assert rates(optimizer) == [1.0]


def test_its_state_restores_counters_and_value() -> None:
    first = make_optimizer(1.0)
    saved = ReduceOnPlateauLR(first, patience=1, factor=0.5)
    for value in (1.0, 1.0, 1.0, 1.0):
        saved.step({"loss": torch.tensor(value)})
    file = io.BytesIO()
    torch.save(saved.state_dict(), file)
    file.seek(0)

    optimizer = make_optimizer(1.0)
    schedule = ReduceOnPlateauLR(optimizer, patience=1, factor=0.5)
    schedule.load_state_dict(torch.load(file, weights_only=True))
    assert rates(optimizer) == [0.5]
    schedule.step({"loss": 1.0})

    assert rates(optimizer) == [0.25]


def test_each_group_can_have_its_minimum() -> None:
    optimizer = make_optimizer(1.0, 1.0)
    schedule = ReduceOnPlateauLR(optimizer, patience=0, min_value=[0.5, 0.0])
    for _ in range(2):
        schedule.step({"loss": 1.0})

    assert rates(optimizer) == [0.5, 0.1]


def test_a_metric_that_is_nan_does_not_count_as_an_improvement() -> None:
    optimizer = make_optimizer(1.0)
    schedule = ReduceOnPlateauLR(optimizer, patience=1)
    for _ in range(2):
        schedule.step({"loss": math.nan})

    assert rates(optimizer) == [0.1]


def test_momentum_can_fall_too() -> None:
    optimizer = make_optimizer(1.0, momentum=0.8)
    schedule = ReduceOnPlateauMomentum(optimizer, patience=0, factor=0.5)
    schedule.step({"loss": 1.0})
    schedule.step({"loss": 1.0})

    assert optimizer.param_groups[0]["momentum"] == 0.4


def test_metrics_must_be_a_dict_that_holds_the_monitored_one() -> None:
    schedule = ReduceOnPlateauLR(make_optimizer(), monitor="acc")

    with pytest.raises(InvalidTypeError, match="a dict of results by name, got float"):
        schedule.step(1.0)
    with pytest.raises(UnknownKeyError, match=r"hold no 'acc'.*known: accuracy"):
        schedule.step({"accuracy": 1.0})


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"by_epoch": False}, "metrics come after epochs"),
        ({"factor": 1.0}, "factor must be a number below 1"),
        ({"threshold": -1.0}, "threshold must be a number of 0 or more"),
        ({"rule": "min"}, "'less' or 'greater'"),
        ({"threshold_rule": "relative"}, "'rel' or 'abs'"),
        ({"min_value": [0.1, 0.2]}, "2 values for 1 parameter groups"),
        ({"factor": 2.0, "rule": "min"}, "number below 1.*'less' or 'greater'"),
    ],
)
def test_settings_that_cannot_work_are_refused(settings: dict[str, object], text: str) -> None:
    with pytest.raises(InvalidSettingError, match=text):
        ReduceOnPlateauLR(make_optimizer(), **settings)


def test_a_state_of_another_family_is_refused() -> None:
    with pytest.raises(UnknownKeyError, match="lacks best"):
        ReduceOnPlateauLR(make_optimizer()).load_state_dict({"global_step": 1})
