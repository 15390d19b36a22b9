from __future__ import annotations

import pytest

from tk_dist import get_rank, launch
from tk_evaluator.outcome import from_every_rank, from_rank_0


def test_one_process_gets_the_value_itself() -> None:
    thing = object()

    assert from_rank_0(lambda: thing, describe=str) is thing


def test_the_original_error_is_the_cause() -> None:
    with pytest.raises(ZeroDivisionError, match="told: division by zero") as caught:
        from_rank_0(lambda: 1 / 0, describe=lambda error: f"told: {error}")

    assert type(caught.value.__cause__) is ZeroDivisionError


def interrupted() -> str:
    def stop() -> None:
        raise KeyboardInterrupt

    try:
        from_rank_0(stop, describe=str)
    except KeyboardInterrupt:
        return "interrupted"
    except Exception as error:
        return str(error)
    return ""


def test_an_interrupt_on_rank_0_releases_the_others() -> None:
    first, second = launch(interrupted, 2, timeout_s=30.0)

    assert first == "interrupted"
    assert "interrupted: KeyboardInterrupt()" in second


def untransportable() -> str:
    try:
        from_rank_0(lambda: lambda: 1, describe=lambda error: f"told: {error}")
    except Exception as error:
        return str(error)
    return ""


def test_a_value_that_cannot_travel_is_an_error_on_all_ranks() -> None:
    assert all("told: " in text for text in launch(untransportable, 2, timeout_s=30.0))


def one_rank_fails() -> str:
    def prepare() -> int:
        if get_rank() == 1:
            raise LookupError("no such thing")
        return get_rank()

    try:
        return str(from_every_rank(prepare, describe=lambda error: f"told: {error}"))
    except LookupError as error:
        return str(error)


def test_an_error_on_any_rank_is_everybodys() -> None:
    texts = launch(one_rank_fails, 3, timeout_s=30.0)

    assert all("told: no such thing" in text for text in texts)
    assert "rank 1" in texts[0]


def test_values_of_all_ranks_come_in_rank_order() -> None:
    assert launch(lambda: from_every_rank(get_rank, describe=str), 3, timeout_s=30.0)[2] == [
        0,
        1,
        2,
    ]
