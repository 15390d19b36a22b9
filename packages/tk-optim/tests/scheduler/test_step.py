"""Falls at equal distances."""

from __future__ import annotations

import pytest
from optim_cases import follow, make_optimizer

from tk_optim.scheduler import StepLR, StepMomentum


def test_the_rate_falls_every_so_many_steps() -> None:
    optimizer = make_optimizer(1.0)

    rates = follow(optimizer, [StepLR(optimizer, step_size=2, gamma=0.5)], 5)

    assert rates == [1.0, 1.0, 0.5, 0.5, 0.25]


def test_a_momentum_falls_alike() -> None:
    optimizer = make_optimizer(1.0, momentum=0.8)
    schedule = StepMomentum(optimizer, step_size=1, gamma=0.5)
    schedule.step()

    assert optimizer.param_groups[0]["momentum"] == pytest.approx(0.4)
