"""What is a count."""

from __future__ import annotations

import pytest

from tk_optim.counts import is_count


@pytest.mark.parametrize(
    ("value", "expected"), [(1, True), (0, False), (True, False), (1.0, False), ("1", False)]
)
def test_a_count_is_a_whole_number_that_is_large_enough(value: object, expected: bool) -> None:
    assert is_count(value, 1) is expected
