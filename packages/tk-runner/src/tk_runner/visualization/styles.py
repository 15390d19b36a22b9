"""How things are drawn: colours, and one value for all items or one for each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from tk_fileio import require

from ..errors import InvalidSettingsError

Rgb = tuple[int, int, int]
T = TypeVar("T")

# The letters and the palette are matplotlib's, which users of MMEngine write.
_LETTERS: dict[str, Rgb] = {
    "b": (0, 0, 255),
    "g": (0, 128, 0),
    "r": (255, 0, 0),
    "c": (0, 191, 191),
    "m": (191, 0, 191),
    "y": (191, 191, 0),
    "k": (0, 0, 0),
    "w": (255, 255, 255),
}
PALETTE: tuple[Rgb, ...] = (
    (31, 119, 180),
    (255, 127, 14),
    (44, 160, 44),
    (214, 39, 40),
    (148, 103, 189),
    (140, 86, 75),
    (227, 119, 194),
    (127, 127, 127),
    (188, 189, 34),
    (23, 190, 207),
)
"""Ten colours that are easy to tell apart, for classes and maps."""


def rgb(color: Any) -> Rgb | None:
    """Red, green and blue of 0 to 255 of a colour; None for ``"none"``.

    Args:
        color: three whole numbers of 0 to 255, a letter of ``bgrcmykw``, a CSS name or
            ``#rrggbb``, ``C0`` to ``C9`` of the palette, or ``"none"``.

    Raises:
        InvalidSettingsError: it is nothing of these.
    """
    if isinstance(color, str):
        return _named(color)
    if isinstance(color, Sequence) and len(color) == 3:
        red, green, blue = (int(part) for part in color)
        if (red, green, blue) == tuple(color) and all(0 <= part <= 255 for part in color):
            return red, green, blue
    raise InvalidSettingsError(
        "a colour is a name, such as 'red' or '#ff0000', or three whole numbers of 0 to 255, "
        f"got {color!r}"
    )


def _named(color: str) -> Rgb | None:
    if color.lower() == "none":
        return None
    if color in _LETTERS:
        return _LETTERS[color]
    if len(color) == 2 and color[0] == "C" and color[1].isdigit():
        return PALETTE[int(color[1])]
    names = require("PIL.ImageColor", install="tk-runner[vis]", purpose="drawing")
    try:
        known: Rgb = names.getrgb(color)[:3]
    except ValueError:
        raise InvalidSettingsError(
            f"no colour is called {color!r}; use a CSS name such as 'red', '#rrggbb', a letter of "
            "'bgrcmykw', 'C0' to 'C9', or three whole numbers of 0 to 255"
        ) from None
    return known


def one_for_each(name: str, value: Any, count: int, kind: type[T] | tuple[type[T], ...]) -> list[T]:
    """A style for each of ``count`` items, from one value or a list of ``count`` values.

    Args:
        name: of the argument, for the error.
        value: one value or a list.
        count: how many items are drawn.
        kind: types of one value; whole numbers are numbers, too.

    Raises:
        InvalidSettingsError: a list of another length.
        TypeError: a value of another type.
    """
    values = list(value) if isinstance(value, list) else [value] * count
    if len(values) != count:
        raise InvalidSettingsError(
            f"{name} has {len(values)} values for {count} items; give one value for all, or a "
            "list with one for each"
        )
    for item in values:
        if not isinstance(item, kind) or isinstance(item, bool):
            raise TypeError(f"{name} must be {_words(kind)} or a list of them, got {item!r}")
    return values


def _words(kind: Any) -> str:
    kinds = kind if isinstance(kind, tuple) else (kind,)
    return " or ".join(one.__name__ for one in kinds)


def colors_for_each(name: str, value: Any, count: int) -> list[Rgb | None]:
    """A colour for each of ``count`` items."""
    return [rgb(color) for color in one_for_each(name, value, count, (str, tuple))]


def opacities_for_each(name: str, value: Any, count: int) -> list[float]:
    """An opacity of 0 to 1 for each of ``count`` items.

    Raises:
        InvalidSettingsError: outside of 0 to 1.
    """
    values = one_for_each(name, value, count, (int, float))
    for item in values:
        if not 0 <= item <= 1:
            raise InvalidSettingsError(f"{name} must lie between 0 and 1, got {item!r}")
    return [float(item) for item in values]
