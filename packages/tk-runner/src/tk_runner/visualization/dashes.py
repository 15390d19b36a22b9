"""Lines that are not solid, as the short lines that they are made of."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

from ..errors import InvalidSettingsError

Point = tuple[float, float]

# Lengths of strokes and gaps in line widths; the numbers are matplotlib's.
_PATTERNS: dict[str, tuple[float, ...]] = {
    "-": (),
    "--": (3.7, 1.6),
    ":": (1.0, 1.65),
    "-.": (6.4, 1.6, 1.0, 1.6),
}
_NAMES = {"solid": "-", "dashed": "--", "dotted": ":", "dashdot": "-."}


def strokes(points: Sequence[Point], style: str, width: float) -> Iterator[list[Point]]:
    """The solid pieces of a line through ``points``.

    Args:
        points: corners, in pixels.
        style: ``-``, ``--``, ``:``, ``-.`` or ``solid``, ``dashed``, ``dotted``, ``dashdot``.
        width: of the line in pixels; strokes and gaps grow with it.

    Raises:
        InvalidSettingsError: an unknown style.
    """
    pattern = _pattern(style)
    if not pattern:
        yield list(points)
        return
    scale = max(width, 1.0)
    # the pixels of both ends are drawn, so a stroke is one pixel longer than it measures
    lengths = [
        part * scale + 1 if place % 2 else max(part * scale - 1, 0.01)
        for place, part in enumerate(pattern)
    ]
    place, left, is_stroke = 0, lengths[0], True
    piece = [points[0]]
    for start, end in itertools.pairwise(points):
        length, done = math.dist(start, end), 0.0
        while length - done > left:
            done += left
            share = done / length
            corner = (
                start[0] + (end[0] - start[0]) * share,
                start[1] + (end[1] - start[1]) * share,
            )
            if is_stroke:
                yield [*piece, corner]
            piece, is_stroke = [corner], not is_stroke
            place = (place + 1) % len(lengths)
            left = lengths[place]
        left -= length - done
        piece.append(end)
    if is_stroke and len(piece) > 1:
        yield piece


def _pattern(style: str) -> tuple[float, ...]:
    name = _NAMES.get(style, style)
    if name not in _PATTERNS:
        raise InvalidSettingsError(
            f"no line style is called {style!r}; known: {', '.join([*_PATTERNS, *_NAMES])}"
        )
    return _PATTERNS[name]
