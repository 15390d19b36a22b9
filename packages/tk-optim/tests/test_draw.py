"""Drawing a schedule."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from optim_cases import follow, make_optimizer, rates

from tk_optim import (
    InvalidSettingError,
    MissingExtraError,
    draw_schedule,
    plot_schedule,
    sample_schedule,
    sparkline,
)
from tk_optim.scheduler import CosineAnnealingLR, LinearLR, MultiStepLR, StepLR, StepMomentum


def test_the_values_are_those_of_the_run_and_the_optimizer_is_not_touched() -> None:
    optimizer = make_optimizer(1.0)
    both = [LinearLR(optimizer, end=4), CosineAnnealingLR(optimizer, begin=4, end=12)]
    before = rates(optimizer)
    values = sample_schedule(both, 14)

    assert rates(optimizer) == before
    assert values == follow(optimizer, both, 14)


def test_epochs_and_iterations_are_drawn_together() -> None:
    optimizer = make_optimizer(1.0)
    both = [LinearLR(optimizer, start_factor=0.5, end=3, by_epoch=False),
            MultiStepLR(optimizer, milestones=[1])]  # fmt: skip

    assert sample_schedule(both, 6, epoch_length=3) == [0.5, 0.75, 1.0, 0.1, 0.1, 0.1]
    with pytest.raises(InvalidSettingError, match="give epoch_length"):
        sample_schedule(both, 6)


def test_each_group_can_be_drawn() -> None:
    assert sample_schedule(StepLR(make_optimizer(1.0, 0.5), step_size=1), 1, group=1) == [0.5]


def test_a_sparkline_is_as_high_as_the_values() -> None:
    assert sparkline([0, 1, 2, 3, 4, 5, 6, 7]) == "▁▂▃▄▅▆▇█"
    assert sparkline([1.0, 1.0]) == "▁▁"
    assert sparkline([]) == ""
    assert len(sparkline(list(range(1000)), width=20)) == 20


def test_a_schedule_is_one_line_of_text() -> None:
    schedule = LinearLR(make_optimizer(1.0), start_factor=0.0, end=5)

    assert draw_schedule(schedule, 5) == "lr ▁▃▅▆█ 0 to 1 in 5 steps"


def test_a_plot_is_a_figure_and_a_file(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    schedule = LinearLR(make_optimizer(1.0), start_factor=0.0, end=5)
    figure = plot_schedule(schedule, 5, tmp_path / "lr.png")

    assert list(figure.axes[0].lines[0].get_ydata()) == [0.0, 0.25, 0.5, 0.75, 1.0]
    assert (tmp_path / "lr.png").stat().st_size > 1000


def test_without_matplotlib_the_way_out_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("matplotlib")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "path", [])

    with pytest.raises(MissingExtraError, match=r"pip install 'tk-optim\[plot\]'"):
        plot_schedule(StepLR(make_optimizer(), step_size=1), 3)


def test_what_cannot_be_drawn_together_is_refused() -> None:
    optimizer = make_optimizer(momentum=0.9)
    with pytest.raises(InvalidSettingError, match="draw each by itself"):
        sample_schedule([StepLR(optimizer, 1), StepMomentum(optimizer, 1)], 3)
    with pytest.raises(InvalidSettingError, match="no schedule to draw"):
        sample_schedule([], 3)
