"""Drawing on an image: what users call."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from tk_dist import launch
from tk_runner import InvalidSettingsError
from tk_runner.visualization import ImageDrawing

CALLS: dict[str, Callable[[ImageDrawing], Any]] = {
    "draw_points": lambda drawing: drawing.draw_points(torch.tensor([[3, 4]]), sizes=16),
    "draw_texts": lambda drawing: drawing.draw_texts("a", [2, 2]),
    "draw_lines": lambda drawing: drawing.draw_lines([1, 9], [1, 9], line_styles="--"),
    "draw_circles": lambda drawing: drawing.draw_circles([5, 5], 3.0),
    "draw_bboxes": lambda drawing: drawing.draw_bboxes(np.array([1, 1, 8, 8])),
    "draw_polygons": lambda drawing: drawing.draw_polygons([[1, 1], [8, 1], [4, 8]]),
    "draw_binary_masks": lambda drawing: drawing.draw_binary_masks(np.ones((12, 12), bool)),
}


def drawing() -> ImageDrawing:
    return ImageDrawing(np.zeros((12, 12, 3), np.uint8))


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_every_call_draws_and_can_be_chained(call: Callable[[ImageDrawing], Any]) -> None:
    drawn = drawing()

    assert call(drawn) is drawn
    assert drawn.get_image().any()


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_drawing_before_there_is_an_image_is_an_error(call: Callable[[ImageDrawing], Any]) -> None:
    with pytest.raises(InvalidSettingsError, match="no image yet; call set_image first"):
        call(ImageDrawing())


@pytest.mark.parametrize(
    "call",
    [
        lambda drawing: drawing.draw_points(np.empty((0, 2))),
        lambda drawing: drawing.draw_texts([], np.empty((0, 2))),
        lambda drawing: drawing.draw_lines([], []),
        lambda drawing: drawing.draw_circles(torch.empty(0, 2), []),
        lambda drawing: drawing.draw_bboxes(torch.empty(0, 4), edge_colors=[]),
        lambda drawing: drawing.draw_polygons([]),
        lambda drawing: drawing.draw_binary_masks(np.empty((0, 12, 12), bool)),
    ],
)
def test_nothing_to_draw_draws_nothing(call: Callable[[ImageDrawing], Any]) -> None:
    assert not call(drawing()).get_image().any()


def test_each_item_may_have_its_own_style() -> None:
    drawn = drawing().draw_bboxes(
        [[0, 0, 3, 3], [6, 6, 9, 9]], edge_colors=["r", (0, 0, 255)], line_widths=[1, 2], alpha=1.0
    )

    assert drawn.get_image()[0, 0].tolist() == [255, 0, 0]
    assert drawn.get_image()[7, 7].tolist() == [0, 0, 255]
    assert not drawn.get_image()[1, 1].any()


def test_a_text_stands_where_it_was_put() -> None:
    plain = drawing().draw_texts("I", [11, 11], colors="w", vertical_alignments="bottom",
                                 horizontal_alignments="right").get_image()  # fmt: skip
    rows, columns = np.nonzero(plain[..., 0])

    assert rows.max() < 11
    assert columns.min() >= 6


def test_a_frame_lies_behind_its_text() -> None:
    drawn = drawing().draw_texts(
        "a", [6, 6], colors="r", vertical_alignments="center", horizontal_alignments="center",
        bboxes={"facecolor": "b", "edgecolor": "w", "alpha": 1, "pad": 0.1},
    ).get_image()  # fmt: skip

    colors = {tuple(color) for color in drawn.reshape(-1, 3).tolist()}
    assert {(0, 0, 255), (255, 255, 255)} <= colors


def test_a_frame_with_an_unknown_part_is_an_error() -> None:
    with pytest.raises(InvalidSettingsError, match="the frame of a text has no 'boxstyle'; known"):
        drawing().draw_texts("a", [6, 6], bboxes={"boxstyle": "round"})


def test_points_outside_of_the_image_are_told_of_and_the_rest_is_drawn() -> None:
    with pytest.warns(UserWarning, match="bboxes: 1 points lie outside"):
        drawn = drawing().draw_bboxes([[5, 5, 50, 50]], face_colors="r", alpha=1.0)

    assert drawn.get_image()[11, 11, 0] == 255


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda d: d.draw_lines([[0, 1]], [[0, 1], [2, 3]]), "x_datas has 1 lines and y_datas 2"),
        (lambda d: d.draw_texts(["a", "b"], [[1, 1]]), "texts has 2 values for 1 items"),
        (lambda d: d.draw_texts("a", [1, 1], bboxes=[]), "bboxes has 0 values for 1 items"),
        (lambda d: d.draw_circles([[1, 1], [2, 2]], [1]), "there are 2 items"),
    ],
)
def test_lists_that_do_not_fit_are_an_error(call: Callable[[Any], Any], message: str) -> None:
    with pytest.raises(InvalidSettingsError, match=message):
        call(drawing())


def test_a_new_image_begins_anew_and_the_given_one_is_not_changed() -> None:
    image = np.zeros((12, 12), np.uint8)
    drawn = ImageDrawing(image).draw_circles([6, 6], 4, face_colors="r")
    drawn.set_image(image)

    assert drawn.get_image().shape == (12, 12, 3)
    assert not drawn.get_image().any()
    assert not image.any()


def chained_on_each_rank() -> bool:
    drawn = drawing().draw_bboxes([1, 1, 5, 5]).draw_points([3, 3])
    return bool(drawn.get_image().any())


def test_other_ranks_chain_and_draw_nothing() -> None:
    assert launch(chained_on_each_rank, 2, timeout_s=60) == [True, False]


def test_a_thousand_images_take_no_more_memory_than_one() -> None:
    drawn = ImageDrawing()
    image = np.zeros((100, 100, 3), np.uint8)

    def draw(times: int) -> int:
        for _ in range(times):
            drawn.set_image(image)
            drawn.draw_bboxes([1, 1, 50, 50]).draw_texts("a", [5, 5]).get_image()
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    try:
        before = draw(20)
        assert draw(1000) - before < 3 * image.nbytes
    finally:
        tracemalloc.stop()
