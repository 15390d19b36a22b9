"""Colours, and one style for all items or one for each."""

from __future__ import annotations

from typing import Any

import pytest

from tk_runner import InvalidSettingsError
from tk_runner.visualization.styles import colors_for_each, one_for_each, opacities_for_each, rgb


@pytest.mark.parametrize(
    ("color", "expected"),
    [
        ("g", (0, 128, 0)),
        ("red", (255, 0, 0)),
        ("#0a0B0c", (10, 11, 12)),
        ("C1", (255, 127, 14)),
        ((1, 2, 255), (1, 2, 255)),
        ("none", None),
    ],
)
def test_a_colour_is_a_name_or_three_numbers(color: Any, expected: Any) -> None:
    assert rgb(color) == expected


@pytest.mark.parametrize("color", ["redd", (1, 2), (0, 0, 256), (-1, 0, 0), (0.5, 0, 0), 7, "C"])
def test_what_is_no_colour_is_an_error(color: Any) -> None:
    with pytest.raises(InvalidSettingsError, match="colour"):
        rgb(color)


def test_one_value_stands_for_all_and_a_list_has_one_for_each() -> None:
    assert one_for_each("widths", 2, 3, int) == [2, 2, 2]
    assert one_for_each("widths", [1, 2, 3], 3, int) == [1, 2, 3]
    assert colors_for_each("colors", [(0, 0, 0), "w"], 2) == [(0, 0, 0), (255, 255, 255)]


@pytest.mark.parametrize("values", [[1], [1, 2, 3]])
def test_a_list_of_another_length_is_an_error(values: list[int]) -> None:
    with pytest.raises(InvalidSettingsError, match=rf"widths has {len(values)} values for 2 items"):
        one_for_each("widths", values, 2, int)


def test_a_value_of_another_kind_is_an_error() -> None:
    with pytest.raises(TypeError, match="widths must be int or float or a list of them, got 'a'"):
        one_for_each("widths", "a", 2, (int, float))


def test_whole_numbers_are_opacities_and_greater_ones_an_error() -> None:
    assert opacities_for_each("alpha", 1, 2) == [1.0, 1.0]
    with pytest.raises(InvalidSettingsError, match=r"alpha must lie between 0 and 1, got 1\.5"):
        opacities_for_each("alpha", [0.5, 1.5], 2)
