from __future__ import annotations

import math

import pytest

from tk_logging import EmptyHistoryError, StateError
from tk_logging.windows import RunningStats, stats_of


def test_the_mean_is_the_sum_of_values_over_the_sum_of_counts() -> None:
    stats = stats_of([1.0, 5.0], [2, 1])

    assert (stats.mean(), stats.min(), stats.max()) == (2.0, 1.0, 5.0)


def test_portions_do_not_change_a_bit_of_the_sum() -> None:
    values = [0.1 * 3**k for k in range(-20, 20)]
    whole, portions = RunningStats(), RunningStats()
    whole.add(values)
    for begin in range(0, 40, 7):
        portions.add(values[begin : begin + 7])

    assert whole.to_list() == portions.to_list()


@pytest.mark.parametrize("values", [[1.0, math.nan, 2.0], [math.nan], [2.0, math.nan]])
def test_nan_spreads(values: list[float]) -> None:
    stats = stats_of(values, [1] * len(values))
    stats.add([0.5])

    assert all(map(math.isnan, (stats.mean(), stats.min(), stats.max())))


def test_infinities_of_both_signs_leave_min_and_max() -> None:
    stats = stats_of([math.inf, -math.inf], [1, 1])
    stats.add([3.0])

    assert math.isnan(stats.mean())
    assert (stats.min(), stats.max()) == (-math.inf, math.inf)


def test_merging_agrees_with_adding() -> None:
    left, right = stats_of([1.0, 4.0], [1, 2]), stats_of([-2.0], [3])
    left.merge(right)

    assert left.to_list() == stats_of([1.0, 4.0, -2.0], [1, 2, 3]).to_list()


def test_merging_carries_nan() -> None:
    left = stats_of([1.0], [1])
    left.merge(stats_of([math.nan], [1]))

    assert math.isnan(left.min())
    assert math.isnan(left.max())


def test_counts_of_zero_give_a_mean_of_nan() -> None:
    assert math.isnan(stats_of([1.0], [0]).mean())


@pytest.mark.parametrize("statistic", ["min", "max"])
def test_nothing_has_no_lowest_value(statistic: str) -> None:
    with pytest.raises(EmptyHistoryError, match="without values"):
        getattr(RunningStats(), statistic)()


def test_statistics_survive_as_a_list() -> None:
    stats = stats_of([1.5, math.inf], [1, 2])

    assert RunningStats.from_list(stats.to_list()).to_list() == stats.to_list()


def test_a_wrong_list_is_refused() -> None:
    with pytest.raises(StateError, match="five numbers"):
        RunningStats.from_list([1.0])
