"""Feature maps as images."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from tk_runner import InvalidSettingsError
from tk_runner.visualization import draw_featmap
from tk_runner.visualization.feature_maps import heat_colors


def test_colours_go_from_blue_over_green_to_red() -> None:
    colors = heat_colors(np.array([0.0, 0.25, 0.5, 0.75, 1.0]))

    assert colors.tolist() == [
        [0, 0, 128], [0, 128, 255], [128, 255, 128], [255, 128, 0], [128, 0, 0]
    ]  # fmt: skip


def test_the_mean_of_the_channels_is_shown() -> None:
    featmap = torch.tensor([[[0.0, 4.0]], [[0.0, 2.0]]])

    assert draw_featmap(featmap).tolist() == heat_colors(np.array([[0.0, 1.0]])).tolist()


def test_the_channel_with_the_largest_sum_is_shown() -> None:
    featmap = torch.tensor([[[9.0, 0.0]], [[4.0, 8.0]]])

    drawn = draw_featmap(featmap, channel_reduction="select_max")

    assert drawn.tolist() == heat_colors(np.array([[0.0, 1.0]])).tolist()


def test_a_grid_shows_the_channels_with_the_largest_sums_first() -> None:
    featmap = torch.stack([torch.eye(3) * scale for scale in (1.0, 3.0, 2.0)])

    grid = draw_featmap(featmap, channel_reduction=None, topk=2, arrangement=(2, 2))

    assert grid.shape == (6, 6, 3)
    assert (grid[:3, :3] == heat_colors(np.eye(3))).all()
    assert (grid[3:] == 255).all()


def test_a_map_of_three_channels_is_shown_as_it_is() -> None:
    featmap = torch.zeros(3, 1, 2)
    featmap[1, 0, 1] = 5.0

    drawn = draw_featmap(featmap, channel_reduction=None, topk=0)

    assert drawn.tolist() == [[[0, 0, 0], [0, 255, 0]]]


def test_the_image_shows_through() -> None:
    image = np.full((2, 2), 100, np.uint8)

    mixed = draw_featmap(torch.zeros(1, 2, 2), image, alpha=0.25)

    assert mixed[0, 0].tolist() == [75, 75, 107]  # a flat map is all blue: (0, 0, 128)


def test_a_map_of_another_size_is_scaled_to_the_image_with_a_warning() -> None:
    image = np.zeros((6, 8, 3), np.uint8)

    with pytest.warns(UserWarning, match=r"the map of \(3, 4\) is scaled to the image of \(6, 8\)"):
        drawn = draw_featmap(torch.rand(2, 3, 4), image)

    assert drawn.shape == (6, 8, 3)


def test_both_are_scaled_to_a_given_size() -> None:
    image = np.zeros((6, 8, 3), np.uint8)

    assert draw_featmap(torch.rand(2, 3, 4), image, resize_shape=(10, 5)).shape == (10, 5, 3)


@pytest.mark.parametrize(
    ("featmap", "options", "message"),
    [
        (torch.rand(3, 4), {}, r"shape \(c, h, w\), got \(3, 4\)"),
        (torch.rand(3, 4, 4), {"channel_reduction": "max"}, "channel_reduction must be one of"),
        (torch.rand(4, 4, 4), {"channel_reduction": None, "topk": 0}, "4 channels cannot be shown"),
        (
            torch.rand(9, 4, 4),
            {"channel_reduction": None, "topk": 5, "arrangement": (2, 2)},
            "2 x 2 has no place for 5 channels",
        ),
    ],
)
def test_what_does_not_fit_is_an_error(
    featmap: torch.Tensor, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidSettingsError, match=message):
        draw_featmap(featmap, **options)
