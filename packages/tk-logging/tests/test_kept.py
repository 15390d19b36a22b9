from __future__ import annotations

import pytest

from tk_logging import StateError, WindowError
from tk_logging.kept import Kept, Window
from tk_logging.windows import stats_of


def kept_of(values: list[float], max_length: int) -> Kept:
    kept = Kept(max_length)
    kept.take(values)
    return kept


def test_the_last_values_are_kept_and_the_total_is_of_all() -> None:
    kept = kept_of([1.0, 2.0, 3.0], max_length=2)

    assert list(kept.values) == [2.0, 3.0]
    assert kept.last(None).mean() == 2.0
    assert kept.last(2).mean() == 2.5


def test_what_is_no_longer_kept_is_an_error() -> None:
    with pytest.raises(WindowError, match="last 3 values are asked for, 2 of 4 are kept"):
        kept_of([1.0, 2.0, 3.0, 4.0], max_length=2).last(3)


def test_statistics_of_older_values_count_where_they_belong() -> None:
    kept = kept_of([5.0], max_length=2)
    early, late, waiting = Window("early", 1), Window("late", 3), Window("waiting", 2)
    kept.windows = {"early": early, "late": late}
    kept.absorb(stats_of([1.0, 2.0], [1, 1]), generation=2, waiting=[waiting, early])

    assert kept.total.length == 3
    assert [window.stats.length for window in (early, late, waiting)] == [2, 0, 2]


def test_resizing_keeps_what_is_there() -> None:
    kept = kept_of([1.0, 2.0], max_length=2)
    kept.resize(3)
    kept.take([3.0])

    assert list(kept.values) == [1.0, 2.0, 3.0]


@pytest.mark.parametrize("state", [3, {}, {"values": "f:0:"}])
def test_another_state_is_refused(state: object) -> None:
    with pytest.raises(StateError, match="the state of a history is a dict with counts"):
        Kept.from_state_dict(state)
