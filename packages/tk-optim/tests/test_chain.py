"""Several schedules of one value."""

from __future__ import annotations

import math

import pytest
from optim_cases import follow, make_optimizer, rates

from tk_optim.scheduler import (
    ConstantLR,
    CosineAnnealingLR,
    ExponentialLR,
    LinearLR,
    MultiStepLR,
    StepLR,
)


def test_a_warm_up_hands_the_base_value_to_the_cosine() -> None:
    optimizer = make_optimizer(0.8)
    warmup = LinearLR(optimizer, start_factor=0.25, begin=0, end=4)
    cosine = CosineAnnealingLR(optimizer, begin=4, end=12, eta_min=0.1)
    seen = follow(optimizer, [warmup, cosine], 14)

    rising = [0.8 * (0.25 + 0.75 * step / 3) for step in range(4)]
    falling = [0.1 + 0.7 * (1 + math.cos(math.pi * step / 8)) / 2 for step in range(8)]
    assert seen == pytest.approx([*rising, *falling, falling[-1], falling[-1]], abs=1e-12)


def test_a_schedule_starts_from_where_the_one_before_it_ended() -> None:
    optimizer = make_optimizer(1.0)
    first = ExponentialLR(optimizer, gamma=0.5, begin=0, end=3)
    second = LinearLR(optimizer, start_factor=1.0, end_factor=0.0, begin=5, end=8)

    assert follow(optimizer, [first, second], 9) == [
        1.0, 0.5, 0.25, 0.25, 0.25, 0.25, 0.125, 0.0, 0.0,
    ]  # fmt: skip


def test_the_order_is_that_of_the_windows() -> None:
    optimizer = make_optimizer(1.0)
    second = CosineAnnealingLR(optimizer, begin=3, end=8, eta_min=0.3)
    first = LinearLR(optimizer, start_factor=1.0, end_factor=0.5, begin=0, end=3)
    values = follow(optimizer, [second, first], 9)

    assert values[3] == 0.5
    assert values[8] == pytest.approx(0.3 + 0.2 * (1 + math.cos(math.pi * 4 / 5)) / 2, abs=1e-12)


def test_overlapping_factors_multiply() -> None:
    optimizer = make_optimizer(1.0)
    both = [ConstantLR(optimizer, factor=0.5, end=4), StepLR(optimizer, step_size=2, gamma=0.1)]

    assert follow(optimizer, both, 6) == pytest.approx([0.5, 0.5, 0.05, 0.1, 0.01, 0.01])


def test_iterations_and_epochs_mix() -> None:
    optimizer = make_optimizer(1.0)
    warmup = LinearLR(optimizer, start_factor=0.5, end=3, by_epoch=False)
    decay = MultiStepLR(optimizer, milestones=[1])
    seen = []
    for _ in range(2):
        for _ in range(2):
            seen += rates(optimizer)
            warmup.step()
        decay.step()

    assert seen == [0.5, 0.75, 0.1, 0.1]


def test_the_order_of_loading_does_not_matter() -> None:
    def build() -> tuple:
        optimizer = make_optimizer(1.0)
        return (optimizer, LinearLR(optimizer, start_factor=0.1, end=4),
                CosineAnnealingLR(optimizer, begin=4, end=9))  # fmt: skip

    optimizer, warmup, cosine = build()
    follow(optimizer, [warmup, cosine], 6)
    other, warmup_again, cosine_again = build()
    cosine_again.load_state_dict(cosine.state_dict())
    warmup_again.load_state_dict(warmup.state_dict())

    assert rates(other) == rates(optimizer)


def test_a_schedule_that_nobody_holds_any_more_keeps_its_value() -> None:
    optimizer = make_optimizer(1.0)
    first = StepLR(optimizer, step_size=1, gamma=0.5)
    first.step()
    del first
    second = StepLR(optimizer, step_size=1, gamma=0.5)
    second.step()

    assert rates(optimizer) == [0.25]
