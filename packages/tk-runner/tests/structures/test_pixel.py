from __future__ import annotations

import numpy as np
import pytest
import torch

from tk_runner.structures import PixelData


@pytest.fixture
def maps() -> PixelData:
    return PixelData(
        metainfo={"name": "a"},
        image=torch.arange(60).view(3, 4, 5),
        mask=np.ones((1, 4, 5), dtype=bool),
    )


def test_the_shape_is_that_of_all_fields(maps: PixelData) -> None:
    assert maps.shape == (4, 5)
    assert PixelData().shape is None


@pytest.mark.parametrize(
    ("window", "shape"),
    [
        ((1, 2), (1, 1)),
        ((slice(1, 3), -1), (2, 1)),
        ((np.int16(3), slice(None)), (1, 5)),
        ((slice(3, 9), torch.tensor(0)), (1, 1)),
    ],
)
def test_a_window_keeps_both_dimensions(maps: PixelData, window: tuple, shape: tuple) -> None:
    cut = maps[window]

    assert cut.shape == shape
    assert cut.image.shape == (3, *shape)
    assert cut.mask.dtype == bool
    assert cut.metainfo == {"name": "a"}


def test_a_window_holds_the_right_pixels(maps: PixelData) -> None:
    assert maps[1:3, -1].image[0].tolist() == [[9], [14]]


@pytest.mark.parametrize("window", [(4, 0), (0, 5), (-5, 0)])
def test_an_integer_outside_is_an_index_error(maps: PixelData, window: tuple) -> None:
    with pytest.raises(IndexError, match="outside a side of"):
        maps[window]


def test_other_windows_are_refused(maps: PixelData) -> None:
    with pytest.raises(TypeError, match=r"use data\[rows, columns\]"):
        maps[1]
    with pytest.raises(TypeError, match="cannot cut a window"):
        maps[[1], 2]
    with pytest.raises(TypeError, match="cannot cut a window"):
        maps[True, 2]
    with pytest.raises(AssertionError, match="not 3 entries"):
        maps[1, 2, 3]


def test_a_string_reads_a_field(maps: PixelData) -> None:
    assert maps["image"] is maps.image


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ([1], "must be a tensor or an array, not list"),
        (torch.ones(4), r"has shape \(4,\); use"),
        (torch.ones(1, 1, 4, 5), r"has shape \(1, 1, 4, 5\)"),
        (torch.ones(1, 4, 6), r"has shape \(1, 4, 6\), but the size is \(4, 5\)"),
    ],
)
def test_a_field_that_does_not_fit_is_named(maps: PixelData, value: object, text: str) -> None:
    with pytest.raises(AssertionError, match="field 'depth' " + text):
        maps.depth = value


def test_two_dimensions_get_a_channel_and_a_warning() -> None:
    with pytest.warns(UserWarning, match=r"'depth' of shape \(4, 5\) is stored as \(1, 4, 5\)"):
        maps = PixelData(depth=torch.ones(4, 5, dtype=torch.int32))

    assert maps.depth.shape == (1, 4, 5)


def test_the_only_field_may_change_its_size() -> None:
    maps = PixelData(a=torch.ones(1, 4, 5))
    maps.a = torch.ones(1, 2, 2)

    assert maps.shape == (2, 2)
