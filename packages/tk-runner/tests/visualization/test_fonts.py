"""Fonts and where a text stands."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from tk_runner import InvalidSettingsError
from tk_runner.visualization.fonts import anchor, default_font_size, font


def test_the_size_grows_with_the_image_and_stays_readable() -> None:
    assert default_font_size((100, 100)) == 10
    assert default_font_size((1800, 1800)) == 20


def test_an_alignment_says_which_part_of_the_text_lies_at_its_position() -> None:
    assert anchor("left", "top") == "la"
    assert anchor("right", "baseline") == "rs"


@pytest.mark.parametrize(
    ("horizontal", "vertical", "name"),
    [("middle", "top", "horizontal_alignments"), ("left", "middle", "vertical_alignments")],
)
def test_an_unknown_alignment_is_an_error(horizontal: str, vertical: str, name: str) -> None:
    with pytest.raises(InvalidSettingsError, match=f"{name} must be one of .*, got 'middle'"):
        anchor(horizontal, vertical)


def test_the_default_font_needs_no_file_and_has_the_size() -> None:
    small, large = font("sans-serif", 10), font("sans-serif", 40)

    assert large.getlength("text") == pytest.approx(4 * small.getlength("text"), rel=0.1)


def test_a_missing_font_is_an_error_that_names_it() -> None:
    for properties in (None, SimpleNamespace(get_file=lambda: "other.ttf"), "other.ttf"):
        with pytest.raises(InvalidSettingsError, match=r"'(no|other)\.ttf' cannot be opened"):
            font("no.ttf", 10, properties)
