"""A fall by a power of what is left."""

from __future__ import annotations

import pytest
from optim_cases import follow, make_optimizer

from tk_optim.scheduler import PolyLR


def test_the_rate_falls_by_a_power_of_what_is_left() -> None:
    optimizer = make_optimizer(1.0)

    rates = follow(optimizer, [PolyLR(optimizer, power=2.0, end=3)], 4)

    assert rates == pytest.approx([1.0, 0.25, 0.0, 0.0])
