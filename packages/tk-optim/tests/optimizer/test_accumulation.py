"""Counting micro-batches into groups."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tk_optim import InvalidSettingError
from tk_optim.optimizer.accumulation import Accumulation


def groups(every: int, begin: int, total: int, batches: int) -> list[list[float]]:
    """The weights of the micro-batches of each group."""
    state = Accumulation(every)
    state.begin_at(begin, total)
    found: list[list[float]] = [[]]
    for _ in range(batches):
        found[-1].append(1 / state.group_size)
        state.advance()
        if state.is_full:
            found.append([])
    return [group for group in found if group]


def test_the_last_group_is_scaled_by_what_is_in_it() -> None:
    assert groups(4, 0, 10, 10) == [[0.25] * 4, [0.25] * 4, [0.5] * 2]


def test_a_run_shorter_than_a_group_is_one_group() -> None:
    assert groups(8, 0, 3, 3) == [[1 / 3] * 3]


@given(
    every=st.integers(1, 7),
    begin=st.integers(0, 20),
    more=st.integers(1, 30),
)
def test_the_weights_of_every_group_sum_to_one(every: int, begin: int, more: int) -> None:
    for group in groups(every, begin, begin + more, more):
        assert sum(group) == pytest.approx(1.0)
        assert len(group) <= every


def test_groups_stay_where_they_were_after_a_resume() -> None:
    assert [len(group) for group in groups(4, 6, 13, 7)] == [2, 4, 1]


def test_a_group_whose_gradients_were_brought_back_keeps_its_size() -> None:
    state = Accumulation(4)
    state.begin_at(6, 13, with_gradients=True)
    assert (state.pending, state.group_size, state.is_full) == (2, 4, False)
    state.advance()
    state.advance()

    assert state.is_full


def test_a_run_that_is_longer_than_was_said_goes_on() -> None:
    assert groups(4, 0, 6, 12) == [[0.25] * 4, [0.5] * 2, [0.5] * 2, [0.25] * 4]


def test_what_waits_is_counted_until_the_group_is_closed() -> None:
    state = Accumulation(4)
    for _ in range(6):
        state.advance()
    assert state.pending == 2
    state.close_here()

    assert (state.pending, state.group_size) == (0, 4)


def test_one_batch_a_group_never_waits() -> None:
    state = Accumulation(1)
    state.advance()

    assert (state.pending, state.group_size, state.is_full, state.next_fills) == (0, 1, True, True)


@pytest.mark.parametrize("every", [0, -1, 1.5, True, None])
def test_what_is_no_count_is_refused(every: object) -> None:
    with pytest.raises(InvalidSettingError, match="accumulative_counts="):
        Accumulation(every)
