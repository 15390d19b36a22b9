"""A fall by one factor each step."""

from __future__ import annotations

import pytest
from optim_cases import follow, make_optimizer

from tk_optim.scheduler import ExponentialLR


def test_the_rate_is_multiplied_each_step() -> None:
    optimizer = make_optimizer(1.0)

    rates = follow(optimizer, [ExponentialLR(optimizer, gamma=0.5)], 4)

    assert rates == pytest.approx([1.0, 0.5, 0.25, 0.125])
