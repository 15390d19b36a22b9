"""Pixels and colours of matplotlib's figures, for visualizers that draw with it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...visualization.styles import rgb


def img_from_canvas(canvas: Any) -> np.ndarray:
    """The pixels ``(h, w, 3)`` of a figure's canvas, RGB, uint8."""
    canvas.draw()
    pixels = np.asarray(canvas.buffer_rgba())
    rgb_pixels: np.ndarray = pixels[..., :3].copy()
    return rgb_pixels


def color_val_matplotlib(colors: Any) -> Any:
    """Colours as matplotlib takes them: names as they are, 0 to 255 as 0 to 1."""
    if isinstance(colors, list):
        return [color_val_matplotlib(color) for color in colors]
    if isinstance(colors, str):
        return colors
    if isinstance(colors, tuple):
        return tuple(part / 255 for part in colors)
    raise TypeError(f"a colour is a name or a tuple of three numbers, got {colors!r}")


def color_str2rgb(color: str) -> tuple[int, ...]:
    """Red, green and blue of 0 to 255 of a colour's name."""
    return rgb(color) or (0, 0, 0)


def tensor2ndarray(value: Any) -> np.ndarray:
    """An array of what is a tensor or an array."""
    array: np.ndarray = np.asarray(value.detach().cpu() if hasattr(value, "detach") else value)
    return array
