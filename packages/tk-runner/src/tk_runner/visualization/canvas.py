"""An image and what is drawn on it, exact to the pixel.

Every item is first a mask of the pixels that it covers, and then mixed into the
image with its colour and opacity; so an item that lies over another one shows
it through. A coordinate names a pixel, and the middle of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tk_fileio import require

from ..errors import InvalidSettingsError
from .dashes import Point, strokes
from .styles import Rgb

MARKERS = ("o", ".", "s", "D", "^", "v", "x", "+")
_CIRCLE_STEP = 2.0  # pixels between the corners of a dashed circle


class Canvas:
    """An RGB image to draw on.

    Args:
        image: ``(h, w, 3)`` or ``(h, w)``, uint8; it is copied.
    """

    def __init__(self, image: np.ndarray) -> None:
        self._pillow = require("PIL.Image", install="tk-runner[vis]", purpose="drawing")
        self._draw = require("PIL.ImageDraw", install="tk-runner[vis]", purpose="drawing")
        self._image = self._pillow.fromarray(np.ascontiguousarray(image)).convert("RGB")

    @property
    def size(self) -> tuple[int, int]:
        """Height and width in pixels."""
        return self._image.height, self._image.width

    def pixels(self) -> np.ndarray:
        """A copy of the image with all that was drawn: ``(h, w, 3)``, RGB, uint8."""
        return np.array(self._image)

    def line(
        self, points: Sequence[Point], color: Rgb | None, style: str, width: float, opacity: float
    ) -> None:
        """A line through points; its width lies around it in equal parts."""
        if color is not None and width > 0:
            pieces = list(strokes(points, style, width))
            self._paint(
                points, width, color, opacity, lambda draw, at: self._lines(draw, at, pieces, width)
            )

    def polygon(
        self,
        points: Sequence[Point],
        edge: Rgb | None,
        face: Rgb | None,
        style: str,
        width: float,
        opacity: float,
    ) -> None:
        """A closed polygon: first its face, then its edge."""
        if face is not None:
            self._paint(
                points,
                0,
                face,
                opacity,
                lambda draw, at: draw.polygon(_moved(points, at), fill=255),
            )
        self.line([*points, points[0]], edge, style, width, opacity)

    def box(
        self,
        corners: tuple[float, float, float, float],
        edge: Rgb | None,
        face: Rgb | None,
        style: str,
        width: float,
        opacity: float,
    ) -> None:
        """A box with the pixels of both corners in it; a solid edge grows inwards."""
        x1, y1, x2, y2 = (round(corner) for corner in corners)
        points = [(x1, y1), (x2, y1), (x2, y2), (x1, y2)]
        outline = [*points, points[0]]
        self._closed(points, outline, "rectangle", edge, face, style, width, opacity)

    def circle(
        self,
        center: Point,
        radius: float,
        edge: Rgb | None,
        face: Rgb | None,
        style: str,
        width: float,
        opacity: float,
    ) -> None:
        """A circle; a solid edge grows inwards."""
        x, y = center
        corners = [(x - radius, y - radius), (x + radius, y + radius)]
        outline = _around(center, radius)
        self._closed(corners, outline, "ellipse", edge, face, style, width, opacity)

    def marker(self, center: Point, kind: str, area: float, color: Rgb | None) -> None:
        """A marker whose width is the square root of ``area``.

        Raises:
            InvalidSettingsError: an unknown kind.
        """
        (x, y), half = center, math.sqrt(area) / 2
        diamond = [(x, y - half), (x + half, y), (x, y + half), (x - half, y)]
        if kind in ("o", "."):
            self.circle(center, half if kind == "o" else half / 2, None, color, "-", 0, 1.0)
        elif kind == "s":
            self.box((x - half, y - half, x + half, y + half), None, color, "-", 0, 1.0)
        elif kind == "D":
            self.polygon(diamond, None, color, "-", 0, 1.0)
        elif kind in ("^", "v"):
            tip = -half if kind == "^" else half
            points = [(x, y + tip), (x + half, y - tip), (x - half, y - tip)]
            self.polygon(points, None, color, "-", 0, 1.0)
        elif kind in ("x", "+"):
            ends = diamond if kind == "+" else _square(center, half)
            self.line([ends[0], ends[2]], color, "-", 1, 1.0)
            self.line([ends[1], ends[3]], color, "-", 1, 1.0)
        else:
            raise InvalidSettingsError(f"no marker is called {kind!r}; known: {' '.join(MARKERS)}")

    def mask(self, covered: np.ndarray, color: Rgb | None, opacity: float) -> None:
        """Mix a colour into the pixels ``(h, w)`` that are True."""
        if color is not None:
            levels = covered.astype(np.uint8) * round(255 * opacity)
            self._image.paste(color, (0, 0), self._pillow.fromarray(levels))

    def text(self, position: Point, text: str, font: Any, color: Rgb | None, anchor: str) -> None:
        """A text whose ``anchor`` (Pillow's two letters) lies at ``position``."""
        if color is not None:
            draw = self._draw.Draw(self._image)
            draw.text(position, text, fill=color, font=font, anchor=_anchor(anchor, text))

    def text_frame(
        self, position: Point, text: str, font: Any, anchor: str
    ) -> tuple[float, float, float, float]:
        """The box x1, y1, x2, y2 that a text would fill."""
        draw = self._draw.Draw(self._image)
        x1, y1, x2, y2 = draw.textbbox(position, text, font=font, anchor=_anchor(anchor, text))
        return x1, y1, x2, y2

    def _closed(
        self,
        corners: Sequence[Point],
        outline: Sequence[Point],
        shape: str,
        edge: Rgb | None,
        face: Rgb | None,
        style: str,
        width: float,
        opacity: float,
    ) -> None:
        """A shape that Pillow draws between ``corners``; ``outline`` serves edges with gaps."""

        def paint(color: Rgb, **how: int) -> None:
            self._paint(
                corners, 0, color, opacity,
                lambda draw, at: getattr(draw, shape)(_flat(corners, at), **how),
            )  # fmt: skip

        if face is not None:
            paint(face, fill=255)
        if style not in ("-", "solid"):
            self.line(outline, edge, style, width, opacity)
        elif edge is not None and width > 0:
            paint(edge, outline=255, width=max(1, round(width)))

    def _lines(self, draw: Any, at: Point, pieces: list[list[Point]], width: float) -> None:
        for piece in pieces:
            draw.line(_moved(piece, at), fill=255, width=max(1, round(width)), joint="curve")

    def _paint(
        self,
        points: Sequence[Point],
        width: float,
        color: Rgb,
        opacity: float,
        shape: Callable[[Any, Point], None],
    ) -> None:
        """Mix a colour into the pixels that ``shape`` sets to 255, around ``points`` alone."""
        margin = math.ceil(width) + 1
        left = max(0, math.floor(min(x for x, _ in points)) - margin)
        top = max(0, math.floor(min(y for _, y in points)) - margin)
        right = min(self._image.width, math.ceil(max(x for x, _ in points)) + margin + 1)
        bottom = min(self._image.height, math.ceil(max(y for _, y in points)) + margin + 1)
        if left >= right or top >= bottom:
            return
        covered = self._pillow.new("L", (right - left, bottom - top))
        shape(self._draw.Draw(covered), (left, top))
        levels = covered.point(lambda level: round(level * opacity))
        self._image.paste(color, (left, top), levels)


def _moved(points: Sequence[Point], at: Point) -> list[Point]:
    return [(x - at[0], y - at[1]) for x, y in points]


def _flat(points: Sequence[Point], at: Point) -> list[float]:
    """The corner with the smallest and the one with the greatest coordinates."""
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return [min(xs) - at[0], min(ys) - at[1], max(xs) - at[0], max(ys) - at[1]]


def _square(center: Point, half: float) -> list[Point]:
    x, y = center
    return [(x - half, y - half), (x + half, y - half), (x + half, y + half), (x - half, y + half)]


def _around(center: Point, radius: float) -> list[Point]:
    count = max(12, round(2 * math.pi * radius / _CIRCLE_STEP))
    angles = (2 * math.pi * place / count for place in range(count + 1))
    return [
        (center[0] + radius * math.cos(angle), center[1] + radius * math.sin(angle))
        for angle in angles
    ]


def _anchor(anchor: str, text: str) -> str:
    """Texts of several lines have no baseline that Pillow knows; their lower end stands for it."""
    return anchor.replace("s", "d") if "\n" in text else anchor
