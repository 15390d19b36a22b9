from __future__ import annotations

import math

import pytest

from tk_logging import EmptyHistoryError, StateError
from tk_logging.running_stats import RunningStats


def stats_of(values: list[float], count: int | None = None) -> RunningStats:
    stats = RunningStats()
    stats.add(values, len(values) if count is None else count)
    return stats


def test_the_mean_is_the_sum_of_values_over_the_number_of_samples() -> None:
    stats = stats_of([1.0, 5.0], count=3)

    assert (stats.mean(), stats.min(), stats.max()) == (2.0, 1.0, 5.0)


def test_portions_do_not_change_a_bit_of_the_sum() -> None:
    values = [0.1 * 3**k for k in range(-20, 20)]
    portions = RunningStats()
    for begin in range(0, 40, 7):
        portions.add(values[begin : begin + 7], len(values[begin : begin + 7]))

    assert portions.to_list() == stats_of(values).to_list()


@pytest.mark.parametrize("values", [[1.0, math.nan, 2.0], [math.nan], [2.0, math.nan]])
def test_nan_spreads(values: list[float]) -> None:
    stats = stats_of(values)
    stats.add([0.5], 1)

    assert all(map(math.isnan, (stats.mean(), stats.min(), stats.max())))


def test_infinities_of_both_signs_leave_min_and_max() -> None:
    stats = stats_of([math.inf, -math.inf])
    stats.add([3.0], 1)

    assert math.isnan(stats.mean())
    assert (stats.min(), stats.max()) == (-math.inf, math.inf)


def test_counts_of_zero_give_a_mean_of_nan() -> None:
    assert math.isnan(stats_of([1.0], count=0).mean())


@pytest.mark.parametrize("statistic", ["min", "max"])
def test_nothing_has_no_lowest_value(statistic: str) -> None:
    with pytest.raises(EmptyHistoryError, match="without values"):
        getattr(RunningStats(), statistic)()


def test_statistics_survive_as_a_list() -> None:
    stats = stats_of([1.5, math.inf], count=3)

    assert RunningStats.from_list(stats.to_list()).to_list() == stats.to_list()


@pytest.mark.parametrize("saved", [[1.0], None, "1234", [math.nan] * 5])
def test_a_wrong_list_is_refused(saved: object) -> None:
    with pytest.raises(StateError, match="five numbers"):
        RunningStats.from_list(saved)
