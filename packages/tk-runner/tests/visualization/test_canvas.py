"""What is drawn, pixel by pixel."""

from __future__ import annotations

import numpy as np
import pytest

from tk_runner import InvalidSettingsError
from tk_runner.visualization.canvas import MARKERS, Canvas

RED, BLUE = (255, 0, 0), (0, 0, 255)


def black(height: int = 9, width: int = 11) -> Canvas:
    return Canvas(np.zeros((height, width, 3), np.uint8))


def red_pixels(canvas: Canvas) -> list[str]:
    """A picture of the pixels that are fully red."""
    return ["".join("#" if red == 255 else "." for red in row) for row in canvas.pixels()[..., 0]]


def test_a_box_has_the_pixels_of_both_corners_in_it() -> None:
    canvas = black(5, 7)
    canvas.box((1, 1, 5, 3), RED, None, "-", 1, 1.0)

    assert red_pixels(canvas) == [".......", ".#####.", ".#...#.", ".#####.", "......."]


def test_an_edge_grows_inwards() -> None:
    canvas = black(6, 7)
    canvas.box((0, 0, 6, 5), RED, None, "-", 2, 1.0)

    assert red_pixels(canvas) == ["#######"] * 2 + ["##...##"] * 2 + ["#######"] * 2


def test_a_face_fills_and_an_edge_lies_over_it() -> None:
    canvas = black(5, 5)
    canvas.box((0, 0, 4, 4), BLUE, RED, "-", 1, 1.0)

    assert red_pixels(canvas) == [".....", ".###.", ".###.", ".###.", "....."]
    assert canvas.pixels()[0, 0].tolist() == list(BLUE)


def test_opacity_mixes_with_what_is_there() -> None:
    canvas = Canvas(np.full((3, 3, 3), 100, np.uint8))
    canvas.box((0, 0, 2, 2), None, (200, 0, 100), "-", 1, 0.5)

    assert canvas.pixels()[1, 1].tolist() == [150, 50, 100]


def test_items_that_overlap_show_through() -> None:
    canvas = black(3, 3)
    canvas.box((0, 0, 2, 2), None, RED, "-", 1, 1.0)
    canvas.box((0, 0, 2, 2), None, BLUE, "-", 1, 0.2)

    assert canvas.pixels()[1, 1].tolist() == [204, 0, 51]


def test_a_line_covers_its_width() -> None:
    canvas = black(5, 5)
    canvas.line([(0, 2), (4, 2)], RED, "-", 1, 1.0)

    assert red_pixels(canvas) == [".....", ".....", "#####", ".....", "....."]


def test_a_dashed_line_has_gaps() -> None:
    canvas = black(1, 40)
    canvas.line([(0, 0), (39, 0)], RED, "--", 1, 1.0)

    row = red_pixels(canvas)[0]
    assert row.count("#") == pytest.approx(40 * 3.7 / 5.3, abs=4)
    assert row.startswith("###")


def test_a_circle_has_its_radius_on_all_sides() -> None:
    canvas = black(9, 9)
    canvas.circle((4, 4), 3, None, RED, "-", 1, 1.0)

    picture = red_pixels(canvas)
    assert picture[4] == ".#######."
    assert [row[4] for row in picture] == list(".#######.")
    assert picture[1][1] == picture[7][7] == "."


def test_a_polygon_is_closed() -> None:
    canvas = black(5, 5)
    canvas.polygon([(0, 0), (4, 0), (0, 4)], RED, None, "-", 1, 1.0)

    assert red_pixels(canvas) == ["#####", "#..#.", "#.#..", "##...", "#...."]


def test_a_mask_colours_its_pixels_alone() -> None:
    canvas = black(2, 3)
    canvas.mask(np.array([[True, False, True], [False, False, False]]), RED, 1.0)

    assert red_pixels(canvas) == ["#.#", "..."]


@pytest.mark.parametrize("kind", MARKERS)
def test_a_marker_lies_around_its_point(kind: str) -> None:
    canvas = black(11, 11)
    canvas.marker((5, 5), kind, 36, RED)

    rows, columns = np.nonzero(canvas.pixels()[..., 0])
    assert len(rows) >= 5
    assert (rows.min() + rows.max()) / 2 == pytest.approx(5, abs=0.5)
    assert (columns.min() + columns.max()) / 2 == pytest.approx(5, abs=0.5)
    assert columns.max() - columns.min() <= 7


def test_an_unknown_marker_is_an_error() -> None:
    with pytest.raises(InvalidSettingsError, match=r"no marker is called '\*'; known: o \. s"):
        black().marker((5, 5), "*", 36, RED)


def test_what_lies_outside_is_cut_off() -> None:
    canvas = black(3, 3)
    canvas.box((-5, -5, 1, 1), None, RED, "-", 1, 1.0)
    canvas.box((50, 50, 60, 60), None, RED, "-", 1, 1.0)

    assert red_pixels(canvas) == ["##.", "##.", "..."]


def test_a_grey_image_becomes_coloured_and_the_given_one_stays() -> None:
    grey = np.full((2, 2), 7, np.uint8)
    canvas = Canvas(grey)
    canvas.mask(np.ones((2, 2), bool), RED, 1.0)

    assert canvas.pixels().shape == (2, 2, 3)
    assert (grey == 7).all()
