from __future__ import annotations

import copy
import math
import pickle
import threading

import numpy as np
import pytest

from tk_logging import (
    EmptyHistoryError,
    HistoryBuffer,
    InvalidArgumentError,
    InvalidValueError,
    ScalarTypeError,
    StateError,
    WindowError,
)


def history_of(values: list[float], max_length: int = 1000) -> HistoryBuffer:
    history = HistoryBuffer(max_length=max_length)
    for value in values:
        history.update(value)
    return history


def test_statistics_over_windows_and_everything() -> None:
    history = history_of([float(n) for n in range(1, 11)])

    assert history.mean() == 5.5
    assert history.mean(2) == 9.5
    assert history.mean(100) == 5.5
    assert (history.min(3), history.max(3)) == (8.0, 10.0)
    assert (history.min(), history.max(), history.current()) == (1.0, 10.0, 10.0)


def test_results_are_python_floats() -> None:
    history = HistoryBuffer()
    history.update(3)
    history.update(np.float32(0.5))

    results = [history.mean(), history.mean(1), history.min(), history.max(1), history.current()]
    assert [type(result) for result in results] == [float] * 5


def test_a_value_may_stand_for_many_samples() -> None:
    history = HistoryBuffer()
    history.update(1, count=2)

    assert history.mean() == 0.5


def test_only_the_last_values_are_kept_and_statistics_are_of_all() -> None:
    history = history_of([float(n) for n in range(5000)])

    assert len(history) == 5000
    assert history.data[0].tolist() == [float(n) for n in range(4000, 5000)]
    assert (history.mean(), history.min(), history.max()) == (2499.5, 0.0, 4999.0)


def test_a_window_longer_than_what_is_kept_is_an_error_with_the_way_out() -> None:
    history = history_of([1.0] * 30, max_length=10)

    with pytest.raises(WindowError, match=r"last 20 values.*10 of 30 are kept.*open_window"):
        history.mean(20)


def test_an_opened_window_is_exact_beyond_what_is_kept() -> None:
    history = history_of([1.0] * 30, max_length=10)
    history.open_window("epoch")
    for n in range(25):
        history.update(float(n))

    assert (history.mean("epoch"), history.min("epoch"), history.max("epoch")) == (12.0, 0.0, 24.0)
    assert history.mean(25) == 12.0


def test_a_reopened_window_begins_anew_and_a_closed_one_is_gone() -> None:
    history = history_of([1.0])
    history.open_window("epoch")
    history.update(5.0)
    history.open_window("epoch")
    history.update(7.0)

    assert history.mean("epoch") == 7.0
    history.close_window("epoch")
    with pytest.raises(WindowError, match=r"no window 'epoch' was opened; open: none"):
        history.mean("epoch")


def test_keeping_more_serves_longer_windows() -> None:
    history = history_of([1.0] * 10, max_length=10)
    history.resize(100)
    for n in range(50):
        history.update(float(n))

    assert history.mean(50) == 24.5


def test_an_empty_history_has_a_mean_of_nan_and_no_current_value() -> None:
    history = HistoryBuffer()

    assert math.isnan(history.mean())
    assert len(history) == 0
    assert history
    with pytest.raises(EmptyHistoryError, match="no value was recorded"):
        history.current()
    with pytest.raises(ValueError, match="without values"):
        history.max()


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_not_finite_survives(value: float) -> None:
    history = history_of([1.0, value])

    assert repr(history.current()) == repr(value)
    assert repr(copy.deepcopy(history).current()) == repr(value)


@pytest.mark.parametrize(
    ("value", "match"),
    [("1", "expected a number"), (None, "NoneType"), ([1], "list"), (1j, "no value as a float")],
)
def test_what_is_no_number_is_refused(value: object, match: str) -> None:
    with pytest.raises(ScalarTypeError, match=match):
        HistoryBuffer().update(value)  # type: ignore[arg-type]


@pytest.mark.parametrize("count", [1.5, "2", None])
def test_a_count_that_is_no_int_is_a_type_error(count: object) -> None:
    with pytest.raises(TypeError, match="count is a whole number"):
        HistoryBuffer().update(1.0, count)  # type: ignore[arg-type]


def test_a_negative_count_is_refused() -> None:
    with pytest.raises(InvalidValueError, match="0 or more"):
        HistoryBuffer().update(1.0, -1)


@pytest.mark.parametrize("window", [1.0, True, [3]])
def test_a_window_of_another_kind_is_refused(window: object) -> None:
    with pytest.raises(InvalidArgumentError, match="window_size is a number of values"):
        history_of([1.0]).mean(window)  # type: ignore[arg-type]


def test_a_window_of_nothing_is_refused() -> None:
    with pytest.raises(InvalidValueError, match="at least one value"):
        history_of([1.0]).mean(0)


def test_it_begins_with_given_values() -> None:
    history = HistoryBuffer([1, 2, 3], [1, 1, 2], max_length=2)

    values, counts = history.data
    assert (values.tolist(), counts.tolist()) == ([2.0, 3.0], [1, 2])
    assert history.mean() == 1.5


def test_values_and_counts_of_different_length_are_refused() -> None:
    with pytest.raises(InvalidValueError, match="2 values and 1 counts"):
        HistoryBuffer([1, 2], [1])


def test_a_length_of_zero_is_refused() -> None:
    with pytest.raises(InvalidValueError, match="from 1 on"):
        HistoryBuffer(max_length=0)


def test_it_survives_pickling_with_windows() -> None:
    history = history_of([0.1, 0.2], max_length=10)
    history.open_window("epoch")
    history.update(0.3, count=2)
    back = pickle.loads(pickle.dumps(history))
    back.update(1.0)
    history.update(1.0)

    assert back.state_dict() == history.state_dict()
    assert back.mean("epoch") == history.mean("epoch")


def test_another_state_is_refused() -> None:
    with pytest.raises(StateError, match="counts, max_length, total"):
        HistoryBuffer.from_state_dict({"values": ""})


def test_a_stopped_history_goes_on_bit_for_bit() -> None:
    straight = history_of([0.1 * n for n in range(700)])
    resumed = HistoryBuffer.from_state_dict(history_of([0.1 * n for n in range(333)]).state_dict())
    for n in range(333, 700):
        resumed.update(0.1 * n)

    assert resumed.state_dict() == straight.state_dict()


def test_updates_from_threads_are_all_counted() -> None:
    history = HistoryBuffer()

    def work() -> None:
        for _ in range(2000):
            history.update(1.0)
            history.update(2.0, count=2)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(history) == 16_000
    assert history.mean() == 1.0


def test_showing_a_history_reads_nothing() -> None:
    assert repr(HistoryBuffer(max_length=3)) == "HistoryBuffer(max_length=3)"
