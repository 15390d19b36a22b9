"""Half a cosine."""

from __future__ import annotations

import pytest
from optim_cases import follow, make_optimizer

from tk_optim.scheduler import CosineAnnealingLR


def test_the_rate_falls_along_half_a_cosine_and_rises_after_it() -> None:
    optimizer = make_optimizer(1.0)

    rates = follow(optimizer, [CosineAnnealingLR(optimizer, T_max=2)], 4)

    assert rates == pytest.approx([1.0, 0.5, 0.0, 0.5])


def test_without_a_length_it_lasts_for_the_window() -> None:
    optimizer = make_optimizer(1.0)

    rates = follow(optimizer, [CosineAnnealingLR(optimizer, eta_min_ratio=0.5, end=2)], 2)

    assert rates == pytest.approx([1.0, 0.75])
