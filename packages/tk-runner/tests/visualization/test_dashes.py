"""Lines that are not solid."""

from __future__ import annotations

import math

import pytest

from tk_runner import InvalidSettingsError
from tk_runner.visualization.dashes import strokes


def test_a_solid_line_is_one_piece() -> None:
    assert list(strokes([(0, 0), (3, 4), (3, 9)], "-", 2)) == [[(0, 0), (3, 4), (3, 9)]]


def test_strokes_and_gaps_grow_with_the_width() -> None:
    pieces = list(strokes([(0, 0), (106, 0)], "--", 10))

    assert [(start, end) for (start, _), (end, _) in pieces] == [
        (0, 36), (53, 89)
    ]  # fmt: skip


def test_a_stroke_goes_round_a_corner() -> None:
    first = next(strokes([(0, 0), (2, 0), (2, 50)], "--", 1))

    assert first == [(0, 0), (2, 0), (2, pytest.approx(0.7))]


def test_a_line_ends_with_the_stroke_that_was_begun() -> None:
    pieces = list(strokes([(0, 0), (7, 0)], "--", 1))

    assert pieces[-1][-1] == (7, 0)
    assert sum(math.dist(piece[0], piece[-1]) for piece in pieces) == pytest.approx(2.7 + 1.7)


@pytest.mark.parametrize("name", ["solid", "dashed", "dotted", "dashdot"])
def test_styles_have_names_too(name: str) -> None:
    assert list(strokes([(0, 0), (9, 0)], name, 1))


def test_an_unknown_style_is_an_error() -> None:
    with pytest.raises(InvalidSettingsError, match="no line style is called 'wavy'; known: -, --"):
        list(strokes([(0, 0), (9, 0)], "wavy", 1))
