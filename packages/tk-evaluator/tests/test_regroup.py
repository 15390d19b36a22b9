from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from tk_evaluator import LengthMismatchError
from tk_evaluator.regroup import regroup


class Pair(NamedTuple):
    left: Any
    right: Any


@pytest.mark.parametrize(
    ("samples", "batch"),
    [
        ([1, 2], [1, 2]),
        (["ab", "cd"], ["ab", "cd"]),
        ([b"ab", b"c"], [b"ab", b"c"]),
        ([(1, "a"), (2, "b")], [[1, 2], ["a", "b"]]),
        ([[1, 2], [3, 4], [5, 6]], [[1, 3, 5], [2, 4, 6]]),
        ([{"x": 1, "y": {"z": 2}}, {"x": 3, "y": {"z": 4}}], {"x": [1, 3], "y": {"z": [2, 4]}}),
        ([Pair(1, 2), Pair(3, 4)], Pair([1, 3], [2, 4])),
        ([None, None], [None, None]),
    ],
    ids=str,
)
def test_fields_are_outside_and_samples_inside(samples: list[Any], batch: Any) -> None:
    got = regroup(samples)

    assert got == batch
    assert type(got) is type(batch)


def test_sequences_of_different_lengths_cannot_be_regrouped() -> None:
    with pytest.raises(LengthMismatchError, match=r"different lengths \[1, 2\].*chunk_size=1"):
        regroup([[1], [2, 3]])
