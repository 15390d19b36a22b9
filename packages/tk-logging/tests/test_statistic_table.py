from __future__ import annotations

from collections.abc import Iterator

import pytest

from tk_logging import (
    DuplicateStatisticError,
    HistoryBuffer,
    InvalidArgumentError,
    UnknownStatisticError,
    statistic_table,
)


@pytest.fixture(autouse=True)
def table_restored() -> Iterator[None]:
    before = dict(statistic_table._by_name)
    yield
    statistic_table._by_name.clear()
    statistic_table._by_name.update(before)


def test_a_registered_statistic_is_found_by_name() -> None:
    @HistoryBuffer.register_statistics
    def spread(history: HistoryBuffer, scale: float = 1.0) -> float:
        return (history.max() - history.min()) * scale

    history = HistoryBuffer([1.0, 4.0], [1, 1])

    assert history.statistics("spread", scale=2.0) == 6.0
    assert spread(history) == 3.0


def test_the_built_in_statistics_are_there() -> None:
    history = HistoryBuffer([1.0, 4.0], [1, 1])

    assert history.statistics("mean") == 2.5
    assert history.statistics("max", window_size=1) == 4.0
    assert history.statistics("min", 2) == 1.0
    assert history.statistics("current") == 4.0


def test_a_function_may_be_registered_again_after_an_edit() -> None:
    def middle(history: HistoryBuffer) -> float:
        return 1.0

    HistoryBuffer.register_statistics(middle)
    HistoryBuffer.register_statistics(middle)

    assert HistoryBuffer().statistics("middle") == 1.0


def test_another_function_of_the_same_name_is_refused() -> None:
    def mean(history: HistoryBuffer) -> float:
        return 0.0

    with pytest.raises(DuplicateStatisticError, match=r"HistoryBuffer\.mean already; give"):
        HistoryBuffer.register_statistics(mean)


def test_an_unknown_statistic_names_the_nearest() -> None:
    with pytest.raises(UnknownStatisticError, match="did you mean 'mean'"):
        HistoryBuffer().statistics("maen")
    with pytest.raises(KeyError, match="register it"):
        HistoryBuffer().statistics("zzz")


def test_what_has_no_name_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="a function with a name"):
        HistoryBuffer.register_statistics(3)  # type: ignore[type-var]
