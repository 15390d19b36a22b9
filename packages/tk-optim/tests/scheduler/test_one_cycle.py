"""One rise and one fall."""

from __future__ import annotations

import pytest
from optim_cases import make_optimizer, rates

from tk_optim import InvalidSettingError
from tk_optim.scheduler import OneCycleLR


def test_one_cycle_says_when_the_run_is_longer() -> None:
    schedule = OneCycleLR(make_optimizer(), eta_max=1.0, total_steps=3)
    for _ in range(3):
        schedule.step()

    with pytest.raises(InvalidSettingError, match="has 3 steps and is asked for step 4"):
        schedule.step()


@pytest.mark.parametrize("count", [2, 4])
def test_one_cycle_wants_one_peak_or_one_each(count: int) -> None:
    with pytest.raises(InvalidSettingError, match=f"{count} values for 3 parameter groups"):
        OneCycleLR(make_optimizer(1.0, 1.0, 1.0), eta_max=[1.0] * count, total_steps=9)


def test_one_cycle_takes_a_peak_for_each_group() -> None:
    optimizer = make_optimizer(1.0, 1.0)
    OneCycleLR(optimizer, eta_max=[1.0, 2.0], total_steps=9, div_factor=10.0)

    assert rates(optimizer) == pytest.approx([0.1, 0.2], abs=1e-12)
