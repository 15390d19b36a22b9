from __future__ import annotations

from typing import Any

import pytest
import torch

from tk_runner.model import stack_batch


def test_tensors_are_padded_at_their_ends_to_the_largest_and_the_divisor() -> None:
    stacked = stack_batch([torch.ones(3, 2, 5), torch.ones(3, 4, 1)], 4, 9)

    assert stacked.shape == (2, 3, 4, 8)
    assert bool((stacked[0, :, :2, :5] == 1).all())
    assert bool((stacked[0, :, 2:] == 9).all())
    assert bool((stacked[1, :, :, 1:] == 9).all())


def test_the_number_of_dimensions_is_free() -> None:
    assert stack_batch([torch.ones(1, 2), torch.ones(1, 3)]).shape == (2, 1, 3)
    assert stack_batch([torch.ones(1, 2, 3, 4), torch.ones(1, 3, 2, 4)]).shape == (2, 1, 3, 3, 4)


@pytest.mark.parametrize(
    ("tensors", "text"),
    [
        (torch.ones(2, 3), "expected a list of tensors, got Tensor"),
        ([1], "expected a list of tensors"),
        ([], "the list of tensors is empty"),
        ([torch.ones(1, 2), torch.ones(1, 2, 3)], r"equally many dimensions .*\(1, 2\)"),
        ([torch.ones(1, 2), torch.ones(3, 2)], "channels"),
    ],
)
def test_what_cannot_be_stacked_is_refused(tensors: Any, text: str) -> None:
    with pytest.raises(AssertionError, match=text):
        stack_batch(tensors)
