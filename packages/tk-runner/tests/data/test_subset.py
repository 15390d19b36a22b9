from __future__ import annotations

import pytest

from tk_runner.data.subset import chosen_positions


@pytest.mark.parametrize(
    ("indices", "expected"), [(2, [0, 1]), (-2, [1, 2]), (9, [0, 1, 2]), ([-1, 0], [2, 0])]
)
def test_positions_are_never_negative(indices: object, expected: list[int]) -> None:
    assert list(chosen_positions(indices, 3)) == expected


def test_positions_are_integers() -> None:
    with pytest.raises(TypeError, match="integer"):
        chosen_positions([1.5], 3)
