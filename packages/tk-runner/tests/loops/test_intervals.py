"""Which finished units are followed by a validation."""

from __future__ import annotations

from typing import Any

import pytest

from tk_runner.loops import calc_dynamic_intervals
from tk_runner.loops.intervals import ValidationPlan


def due(last: int, **plan: object) -> list[int]:
    plan_of = ValidationPlan(**plan)  # type: ignore[arg-type]
    return [unit for unit in range(last + 1) if plan_of.is_due(unit, last)]


@pytest.mark.parametrize(
    ("plan", "expected"),
    [
        ({}, [1, 2, 3, 4, 5, 6, 7]),
        ({"interval": 3}, [3, 6, 7]),
        ({"begin": 4, "interval": 2}, [4, 6, 7]),
        ({"begin": 5, "interval": 2}, [6, 7]),
        ({"begin": 0, "interval": 4}, [0, 4, 7]),
        ({"begin": 8}, []),
        ({"interval": 100}, [7]),
        ({"interval": 3, "changes": [(5, 1)]}, [3, 4, 5, 6, 7]),
    ],
)
def test_the_grid_of_begin_and_interval(plan: dict[str, object], expected: list[int]) -> None:
    assert due(7, **plan) == expected


def test_dynamic_intervals_change_the_grid_on_the_way() -> None:
    assert due(12, interval=5, changes=[(11, 2)]) == [5, 10, 12]


def test_dynamic_intervals_are_split_into_beginnings_and_intervals() -> None:
    assert calc_dynamic_intervals(5, [(11, 2), (20, 1)]) == ([0, 11, 20], [5, 2, 1])
    assert calc_dynamic_intervals(5) == ([0], [5])


def test_the_interval_of_the_start_holds_for_ten_units() -> None:
    plan = ValidationPlan(interval=5, changes=[(11, 2)])

    assert [plan.interval_at(unit) for unit in range(12)] == [5] * 10 + [2] * 2


def test_all_that_cannot_work_is_said_at_once() -> None:
    found = ValidationPlan(begin=-1, interval=0, changes=[(9, 0), (3, 1)]).problems()

    assert len(found) == 4
    assert "val_begin=-1" in found[0]


@pytest.mark.parametrize(
    ("plan", "problem"),
    [
        ({"begin": None}, "val_begin must be a whole number, got None"),
        ({"interval": "2"}, "val_interval must be a whole number, got '2'"),
        ({"changes": [3]}, "dynamic_intervals must hold pairs (begin, interval), got 3"),
        ({"changes": [(1, "2")]}, "dynamic_intervals must hold pairs (begin, interval)"),
        ({"changes": 5}, "dynamic_intervals must hold pairs (begin, interval), got 5"),
    ],
)
def test_settings_of_a_wrong_kind_are_named(plan: dict[str, Any], problem: str) -> None:
    assert problem in ValidationPlan(**plan).problems()[0]


@pytest.mark.parametrize("begin", [0, 1, 5])
@pytest.mark.parametrize("interval", [1, 3, 10, 1000])
@pytest.mark.parametrize("changes", [(), ((6, 2),), ((4, 5), (5, 1), (12, 4))])
def test_the_next_validation_is_the_first_unit_that_is_due(
    begin: int, interval: int, changes: tuple[tuple[int, int], ...]
) -> None:
    plan = ValidationPlan(begin=begin, interval=interval, changes=changes)
    for finished in range(20):
        due = [unit for unit in range(finished + 1, 21) if plan.is_due(unit, 20)]
        assert plan.next_due(finished, 20) == due[0]
