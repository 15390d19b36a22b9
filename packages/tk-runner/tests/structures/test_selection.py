from __future__ import annotations

import numpy as np
import pytest
import torch

from tk_runner.structures import FieldTypeError
from tk_runner.structures.selection import Selection


@pytest.mark.parametrize(
    "index", [[2, 0], np.array([2, 0]), torch.tensor([2, 0], dtype=torch.int16)]
)
def test_the_kind_of_a_field_is_kept(index: object) -> None:
    selection = Selection(index, 3)

    assert selection.of("f", [1, 2, 3]) == [3, 1]
    assert selection.of("f", (1, 2, 3)) == (3, 1)
    assert selection.of("f", "abc") == "ca"
    assert selection.of("f", torch.arange(3)).tolist() == [2, 0]
    assert selection.of("f", np.arange(3)).tolist() == [2, 0]


def test_a_field_of_another_kind_is_named() -> None:
    with pytest.raises(FieldTypeError, match="field 'f' holds range"):
        Selection([0], 3).of("f", range(3))


def test_a_slice_works_on_whatever_can_be_sliced() -> None:
    assert Selection(slice(1, None), 3).of("f", range(3)) == range(1, 3)


def test_tensors_of_whole_numbers_only() -> None:
    with pytest.raises(FieldTypeError, match=r"Tensor of torch\.complex64 is no index"):
        Selection(torch.ones(2, dtype=torch.complex64), 3)
