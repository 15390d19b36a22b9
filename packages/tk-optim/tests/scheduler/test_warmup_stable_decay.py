"""Rising, staying, and falling over the last steps."""

from __future__ import annotations

import math

import pytest
from optim_cases import follow, make_optimizer

from tk_optim import InvalidSettingError
from tk_optim.scheduler import WarmupStableDecayLR


def test_the_rate_rises_stays_and_falls_to_the_end_of_the_window() -> None:
    optimizer = make_optimizer(1.0)

    rates = follow(optimizer, [WarmupStableDecayLR(optimizer, warmup=2, decay=2, end=6)], 7)

    assert rates == [0.0, 0.5, 1.0, 1.0, 0.5, 0.0, 0.0]


@pytest.mark.parametrize(
    ("shape", "half_way"), [("linear", 0.5), ("cosine", 0.5), ("sqrt", 1 - math.sqrt(0.5))]
)
def test_it_falls_along_the_shape_that_is_asked_for(shape: str, half_way: float) -> None:
    optimizer = make_optimizer(1.0)
    schedule = WarmupStableDecayLR(
        optimizer, warmup=0, decay=4, end=8, end_factor=0.1, decay_shape=shape
    )

    rates = follow(optimizer, [schedule], 8)

    assert rates[:4] == [1.0] * 4
    assert rates[5] == pytest.approx(0.1 + 0.9 * half_way)
    assert rates[7] == pytest.approx(0.1)


def test_without_a_rise_and_a_fall_the_rate_stays() -> None:
    optimizer = make_optimizer(1.0)

    rates = follow(optimizer, [WarmupStableDecayLR(optimizer, warmup=0, decay=0, end=2)], 3)

    assert rates == [1.0] * 3


def test_its_parts_are_converted_from_epochs() -> None:
    schedule = WarmupStableDecayLR.build_iter_from_epoch(
        make_optimizer(1.0), warmup=1, decay=2, end=4, epoch_length=3
    )

    assert (schedule.warmup, schedule.decay, schedule.end) == (3, 6, 12)


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"warmup": 3, "decay": 2, "end": 4}, "take more than the 4 steps"),
        ({"warmup": -1, "decay": 2, "end": 4}, "warmup must be a whole number of 0 or more"),
        ({"warmup": 1, "decay": 1, "end": 4, "decay_shape": "square"}, "decay_shape must be"),
        ({"warmup": 1, "decay": 1}, "give end"),
    ],
)
def test_settings_that_cannot_work_are_refused(settings: dict[str, object], text: str) -> None:
    with pytest.raises(InvalidSettingError, match=text):
        WarmupStableDecayLR(make_optimizer(), **settings)
