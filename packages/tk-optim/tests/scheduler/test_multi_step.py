"""Falls at given steps."""

from __future__ import annotations

import pytest
from optim_cases import follow, make_optimizer

from tk_optim.scheduler import MultiStepLR


def test_the_rate_falls_at_each_milestone_as_often_as_it_is_named() -> None:
    optimizer = make_optimizer(1.0)

    rates = follow(optimizer, [MultiStepLR(optimizer, milestones=[1, 3, 3], gamma=0.5)], 4)

    assert rates == pytest.approx([1.0, 0.5, 0.5, 0.125])
