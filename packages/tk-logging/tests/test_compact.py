from __future__ import annotations

import math
import random

import pytest

from tk_logging import StateError
from tk_logging.compact import from_runs, pack, runs, unpack


@pytest.mark.parametrize(
    "values",
    [
        [],
        [0.5, -1.25],
        [0.1, 1e300, 5e-324],
        [math.inf, -math.inf, 0.0],
        [random.Random(0).gauss(0, 1) for _ in range(1000)],
    ],
    ids=["empty", "single", "double", "infinite", "many"],
)
def test_numbers_come_back_exactly(values: list[float]) -> None:
    assert unpack(pack(values)) == values


def test_nan_and_negative_zero_come_back() -> None:
    back = unpack(pack([math.nan, -0.0]))

    assert math.isnan(back[0])
    assert math.copysign(1, back[1]) == -1


def test_numbers_exact_in_single_precision_take_half_the_room() -> None:
    rng = random.Random(0)
    halves = [rng.randrange(1 << 20) / (1 << 20) for _ in range(1000)]

    assert len(pack(halves)) < 5000
    assert len(pack([rng.random() for _ in range(1000)])) < 10_000


@pytest.mark.parametrize("text", ["", "x:1:", "f:2:0", "f:-1:0", "f:1:~~", "d:999999999999:", 3])
def test_another_text_is_refused(text: str) -> None:
    with pytest.raises(StateError, match="not a packed list"):
        unpack(text)


def test_more_bytes_than_announced_are_refused() -> None:
    with pytest.raises(StateError, match="announced"):
        unpack(pack([0.0] * 5000).replace("5000", "3"))


def test_runs_shorten_and_come_back() -> None:
    counts = [1, 1, 1, 4, 1]

    assert runs(counts) == [[1, 3], [4, 1], [1, 1]]
    assert from_runs(runs(counts), 5) == counts


def test_runs_for_another_length_are_refused() -> None:
    with pytest.raises(StateError, match="not for 2 values"):
        from_runs([[1, 3]], 2)
