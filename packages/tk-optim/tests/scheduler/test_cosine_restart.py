"""A cosine that begins again."""

from __future__ import annotations

import pytest
from optim_cases import make_optimizer

from tk_optim import InvalidSettingError
from tk_optim.scheduler import CosineRestartLR


def test_restart_positions() -> None:
    find = CosineRestartLR.get_position_from_periods

    assert [find(step, [3, 5]) for step in (0, 2, 3, 4, 5)] == [0, 0, 1, 1, None]


def test_a_restarting_cosine_needs_its_minimum() -> None:
    with pytest.raises(InvalidSettingError, match="give eta_min or eta_min_ratio"):
        CosineRestartLR(make_optimizer(), periods=[3])
