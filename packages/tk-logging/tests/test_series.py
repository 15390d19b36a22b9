from __future__ import annotations

import json
import math
from typing import Any

import pytest

from tk_logging import StateError, WindowError
from tk_logging.running_stats import RunningStats
from tk_logging.series import Series, counted, counts_of


def series_of(values: list[float], max_length: int = 1000) -> Series:
    series = Series(max_length)
    series.extend(values)
    return series


def test_the_lastvalues_are_kept_and_statistics_are_of_all() -> None:
    series = series_of([1.0, 2.0, 6.0], max_length=2)

    assert series.kept() == [2.0, 6.0]
    assert (series.mean(None), series.mean(2)) == (3.0, 4.0)
    assert len(series) == 3


def test_the_oldestvalues_are_dropped_in_the_end() -> None:
    series = Series(10)
    for value in range(10_000):
        series.append(float(value))

    assert len(series.values) < 600
    assert len(series) == 10_000
    assert series.mean(None) == 4999.5
    assert series.kept() == [float(value) for value in range(9990, 10_000)]


def test_a_value_may_sum_up_several_samples() -> None:
    series = series_of([4.0])
    series.append(counted(8.0, 3))

    assert counts_of(series.kept()) == [1, 3]
    assert (series.mean(None), series.mean(1)) == (3.0, 8.0 / 3)
    assert type(series.newest) is float
    assert type(series.stats(1).max()) is float


def test_what_is_no_longer_kept_is_an_error() -> None:
    with pytest.raises(WindowError, match="last 3 values are asked for, 2 of 4 are kept"):
        series_of([1.0, 2.0, 3.0, 4.0], max_length=2).mean(3)


def test_a_window_counts_from_where_it_was_opened() -> None:
    series = series_of([1.0] * 5, max_length=2)
    series.open_window("epoch", RunningStats())
    series.extend([2.0, 4.0, 9.0])

    assert series.mean("epoch") == 5.0
    assert series.mean(3) == 5.0  # by its length, though fewer values are kept
    series.close_window("epoch")
    with pytest.raises(WindowError, match="no window 'epoch' was opened"):
        series.mean("epoch")


def test_resizing_keeps_what_is_there() -> None:
    series = series_of([1.0, 2.0], max_length=2)
    series.resize(3)
    series.append(3.0)

    assert series.kept() == [1.0, 2.0, 3.0]
    series.resize(1)
    assert series.kept() == [3.0]
    assert len(series) == 3


def test_the_state_is_plain_and_comes_back() -> None:
    series = series_of([0.1, math.inf], max_length=3)
    series.open_window("epoch", RunningStats())
    series.append(counted(7.0, 8))
    state = series.state_dict()

    assert state["values"] == [0.1, math.inf, 7.0]
    assert state["counts"] == [[1, 2], [8, 1]]
    assert Series.from_state_dict(json.loads(json.dumps(state))).state_dict() == state


GOOD: dict[str, Any] = series_of([1.0]).state_dict()


@pytest.mark.parametrize(
    ("state", "match"),
    [
        (3, "the state of a history is a dict with counts"),
        ({"values": []}, "the state of a history is a dict with counts"),
        ({**GOOD, "max_length": 0}, "not the state of a history: max_length is"),
        ({**GOOD, "max_length": "many"}, "not the state of a history"),
        ({**GOOD, "values": [None]}, "not the state of a history"),
        ({**GOOD, "values": 3}, "not the state of a history"),
        ({**GOOD, "values": "f:1:~~"}, "not a packed list"),
        ({**GOOD, "counts": [[1, 10**12]]}, "are not for 1 values"),
        ({**GOOD, "counts": [[1, -1], [1, 2]]}, "are not for 1 values"),
        ({**GOOD, "counts": [[-1, 1]]}, "0 or more"),
        ({**GOOD, "windows": 3}, "not the state of a history"),
        ({**GOOD, "windows": {"epoch": [1]}}, "five numbers"),
    ],
)
def test_another_state_is_refused(state: object, match: str) -> None:
    with pytest.raises(StateError, match=match):
        Series.from_state_dict(state)
