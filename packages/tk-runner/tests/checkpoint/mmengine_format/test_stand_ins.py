from __future__ import annotations

import numpy as np
import pytest

from tk_runner.checkpoint import CorruptCheckpointError
from tk_runner.checkpoint.mmengine_format.stand_ins import (
    Array,
    ArrayType,
    Call,
    CostlyKeyError,
    Table,
    array_scalar,
    cheap_key,
    encoded,
    plain_set,
)


def test_a_stand_in_cannot_be_changed() -> None:
    with pytest.raises(TypeError, match="not changed"):
        Call(dict).make = list  # type: ignore[method-assign]


def test_an_array_is_built_from_its_bytes() -> None:
    values = np.arange(6, dtype=">i2").reshape(2, 3)
    kind = ArrayType("i2")
    kind.take_state((3, ">", None, None, None, -1, -1, 0))
    array = Array()
    array.take_state((1, (2, 3), kind, False, values.tobytes()))

    assert array.value().tolist() == values.tolist()


@pytest.mark.parametrize("text", ["O8", "V8", "i", "f8,i4", 3])
def test_an_array_of_anything_but_numbers_and_text_is_refused(text: object) -> None:
    with pytest.raises(CorruptCheckpointError, match="is not plain data"):
        ArrayType(text)


def test_scalars_and_old_bytes_become_plain() -> None:
    assert array_scalar(ArrayType("f4"), np.float32(1.5).tobytes()) == 1.5
    assert encoded("\xe9") == b"\xe9"
    with pytest.raises(CorruptCheckpointError, match="latin1"):
        encoded("a", "utf-16")


def test_keys_that_are_cheap_to_hash_are_taken() -> None:
    assert Table([(("a", 1), 2)]) == {("a", 1): 2}
    assert plain_set([1, ("a", 1)]) == {1, ("a", 1)}


def test_a_key_with_tuples_in_a_tuple_is_refused() -> None:
    nested = ((1, 2), 3)
    for take in (cheap_key, lambda key: plain_set([key]), lambda key: Table([(key, 1)])):
        with pytest.raises(CostlyKeyError, match="a tuple of tuples"):
            take(nested)
