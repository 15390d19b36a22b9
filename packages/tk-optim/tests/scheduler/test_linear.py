"""A straight line between two factors."""

from __future__ import annotations

import pytest
from optim_cases import follow, make_optimizer

from tk_optim.scheduler import LinearLR


def test_the_line_is_at_its_end_at_the_last_step_of_the_window() -> None:
    optimizer = make_optimizer(1.0)

    rates = follow(optimizer, [LinearLR(optimizer, start_factor=0.0, end_factor=0.5, end=3)], 4)

    assert rates == pytest.approx([0.0, 0.25, 0.5, 0.5])
