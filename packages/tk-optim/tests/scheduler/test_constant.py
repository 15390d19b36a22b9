"""A factor for a while."""

from __future__ import annotations

import pytest
from optim_cases import follow, make_optimizer

from tk_optim.scheduler import ConstantLR


def test_the_factor_holds_until_the_last_step_of_the_window() -> None:
    optimizer = make_optimizer(1.0)

    rates = follow(optimizer, [ConstantLR(optimizer, factor=0.5, end=3)], 4)

    assert rates == pytest.approx([0.5, 0.5, 1.0, 1.0])
