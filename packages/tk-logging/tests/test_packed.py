from __future__ import annotations

import math

import pytest

from tk_logging import StateError
from tk_logging.packed import unpack


def test_numbers_in_single_and_in_double_precision_are_read() -> None:
    assert unpack("f:4:c${NkfPjVr3<~!44h{eeX#!s") == [1.0, 1.5, 2.0, 2.5]
    assert unpack("d:2:c${OH#V`{FWp+B)0{|yg1nd") == [7.0, 0.1]
    assert unpack("f:0:c$@<O00001") == []


def test_nan_and_negative_zero_are_read() -> None:
    nan, zero = unpack("d:2:c${NkK!6_%^$h?8ZUOi")

    assert math.isnan(nan)
    assert math.copysign(1, zero) == -1


@pytest.mark.parametrize("text", ["", "x:1:", "f:2:0", "f:-1:0", "f:1:~~", "d:999999999999:"])
def test_another_text_is_refused(text: str) -> None:
    with pytest.raises(StateError, match="not a packed list"):
        unpack(text)


def test_more_bytes_than_announced_are_refused() -> None:
    with pytest.raises(StateError, match="1 numbers announced, 5 bytes found"):
        unpack("f:1:c${NkfPjVr3<~!44h{eeX#!s")
