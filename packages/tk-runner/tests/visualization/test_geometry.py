"""Points, boxes and masks as arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from tk_runner import InvalidSettingsError
from tk_runner.visualization import geometry


@pytest.mark.parametrize(
    "value",
    [
        [1, 2],
        [[1, 2]],
        np.array([[1.0, 2.0]]),
        torch.tensor([1, 2]),
        torch.tensor([[1.0, 2.0]], dtype=torch.bfloat16, requires_grad=True),
    ],
)
def test_arrays_tensors_and_lists_are_rows(value: Any) -> None:
    assert geometry.rows("points", value, 2).tolist() == [[1.0, 2.0]]


@pytest.mark.parametrize("value", [[], np.empty((0, 2)), torch.empty(0, 2)])
def test_nothing_is_no_rows(value: Any) -> None:
    assert geometry.rows("points", value, 2).shape == (0, 2)


def test_other_kinds_are_an_error() -> None:
    with pytest.raises(TypeError, match="points must be an array, a tensor or a list, got str"):
        geometry.rows("points", "1, 2", 2)


@pytest.mark.parametrize(
    ("value", "message"),
    [([1, 2, 3], r"shape \(n, 2\) or \(2,\), got \(3,\)"), ([1, float("nan")], "NaN or infinite")],
)
def test_rows_that_do_not_fit_are_an_error(value: Any, message: str) -> None:
    with pytest.raises(InvalidSettingsError, match=message):
        geometry.rows("points", value, 2)


@pytest.mark.parametrize("box", [[5, 0, 4, 1], [0, 5, 1, 4]])
def test_a_box_that_is_turned_round_is_an_error(box: list[int]) -> None:
    with pytest.raises(InvalidSettingsError, match=r"box 1 is .* with x1 <= x2 and y1 <= y2"):
        geometry.boxes([[0, 0, 1, 1], box])


def test_masks_are_booleans_of_the_size_of_the_image() -> None:
    assert geometry.masks(np.ones((3, 4), bool), (3, 4)).shape == (1, 3, 4)
    for wrong in (np.ones((3, 4)), np.ones((4, 3), bool)):
        with pytest.raises(InvalidSettingsError, match=r"booleans of the shape \(n, 3, 4\)"):
            geometry.masks(wrong, (3, 4))


def test_each_item_has_its_number() -> None:
    assert geometry.numbers("radius", 3, 1).tolist() == [3.0]
    with pytest.raises(InvalidSettingsError, match="there are 3 items"):
        geometry.numbers("radius", [1, 2], 3)


def test_points_outside_of_the_image_are_told_of() -> None:
    with pytest.warns(UserWarning, match="positions: 2 points lie outside of the image of 10 x 5"):
        geometry.warn_outside("positions", np.array([[1, 1], [1, 6], [-1, 2]]), (5, 10))
