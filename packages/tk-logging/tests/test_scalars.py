from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from tk_logging import ScalarTypeError
from tk_logging.scalars import is_tensor, to_number


class Tensor:
    """What a tensor of another library looks like to us."""

    def detach(self) -> Tensor:
        return self

    def numel(self) -> int:
        return 1


def test_a_tensor_is_known_by_what_it_can_do() -> None:
    assert is_tensor(Tensor())
    assert not is_tensor(np.zeros(1))
    assert not is_tensor(1.0)


@pytest.mark.parametrize("value", [2, 2.0, np.float16(2), np.array([[2]]), Fraction(2), Decimal(2)])
def test_a_number_becomes_a_python_float(value: object) -> None:
    assert type(to_number(value)) is float
    assert to_number(value) == 2.0


def test_a_tensor_is_sent_to_the_hub() -> None:
    with pytest.raises(ScalarTypeError, match=r"give it to MessageHub\.update_scalar"):
        to_number(Tensor())


def test_a_number_that_is_too_large_is_refused() -> None:
    with pytest.raises(ScalarTypeError, match="no value as a float"):
        to_number(10**400, "loss")


def test_an_array_of_text_is_refused() -> None:
    with pytest.raises(ScalarTypeError, match="no value as a float"):
        to_number(np.array("x"))
