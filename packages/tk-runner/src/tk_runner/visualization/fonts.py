"""Fonts for texts on images, and where a text stands."""

from __future__ import annotations

import functools
import math
from typing import Any

from tk_fileio import require

from ..errors import InvalidSettingsError

# Which part of a text lies at its position, in Pillow's letters.
_VERTICAL = {"top": "a", "center": "m", "bottom": "d", "baseline": "s"}
_HORIZONTAL = {"left": "l", "center": "m", "right": "r"}
_BUILT_IN = ("sans-serif", "sans serif")


def default_font_size(size: tuple[int, int]) -> int:
    """A size that can be read on an image of that height and width, at least 10."""
    return max(10, math.isqrt(size[0] * size[1]) // 90)


def anchor(horizontal: str, vertical: str) -> str:
    """Pillow's two letters for an alignment.

    Raises:
        InvalidSettingsError: an unknown alignment.
    """
    for name, value, known in (
        ("horizontal_alignments", horizontal, _HORIZONTAL),
        ("vertical_alignments", vertical, _VERTICAL),
    ):
        if value not in known:
            raise InvalidSettingsError(f"{name} must be one of {', '.join(known)}, got {value!r}")
    return _HORIZONTAL[horizontal] + _VERTICAL[vertical]


def font(family: str, size: float, properties: Any = None) -> Any:
    """A font of Pillow.

    Args:
        family: ``sans-serif``, which Pillow brings, or the name or path of a font file.
        size: in pixels.
        properties: a path of a font file, or an object with ``get_file()`` such as
            matplotlib's ``FontProperties``; used in place of ``family``.

    Raises:
        InvalidSettingsError: there is no such font.
    """
    path = properties.get_file() if hasattr(properties, "get_file") else properties
    return _loaded(str(path or family), float(size))


@functools.lru_cache(maxsize=64)
def _loaded(name: str, size: float) -> Any:
    fonts = require("PIL.ImageFont", install="tk-runner[vis]", purpose="drawing texts")
    if name in _BUILT_IN:
        return fonts.load_default(size)
    try:
        return fonts.truetype(name, size)
    except OSError as error:
        raise InvalidSettingsError(
            f"the font {name!r} cannot be opened ({error}); give 'sans-serif' or the path of a "
            ".ttf or .otf file"
        ) from error
