"""Feature maps as images: reduced to a few channels, coloured, laid over the input."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from ..errors import InvalidSettingsError

_REDUCTIONS = ("squeeze_mean", "select_max", None)


def draw_featmap(
    featmap: Tensor,
    overlaid_image: np.ndarray | None = None,
    channel_reduction: str | None = "squeeze_mean",
    topk: int = 20,
    arrangement: tuple[int, int] = (4, 5),
    resize_shape: tuple[int, int] | None = None,
    alpha: float = 0.5,
) -> np.ndarray:
    """A feature map in colours from blue (least) to red (greatest).

    Args:
        featmap: ``(c, h, w)``.
        overlaid_image: ``(h, w, 3)`` or ``(h, w)``, uint8, shown through; a map of another
            size is scaled to it, with a warning.
        channel_reduction: ``squeeze_mean`` (the mean of the channels), ``select_max`` (the
            channel with the largest sum), or None.
        topk: without a reduction, how many channels with the largest sums are shown in a
            grid; at 0 or less the map itself must have 1 or 3 channels.
        arrangement: rows and columns of the grid.
        resize_shape: height and width that map and image are scaled to.
        alpha: how much of the map is seen over the image, of 0 to 1.

    Returns:
        ``(h, w, 3)``, RGB, uint8; for a grid, ``(rows * h, columns * w, 3)``.

    Raises:
        InvalidSettingsError: a shape or setting that does not fit; says which.
    """
    if featmap.ndim != 3:
        raise InvalidSettingsError(
            f"featmap must be a tensor of the shape (c, h, w), got {tuple(featmap.shape)}"
        )
    if channel_reduction not in _REDUCTIONS:
        raise InvalidSettingsError(
            f"channel_reduction must be one of {_REDUCTIONS}, got {channel_reduction!r}"
        )
    image = None if overlaid_image is None else _as_rgb(overlaid_image)
    featmap, image = _fitted(featmap.detach().float().cpu(), image, resize_shape)
    if channel_reduction == "squeeze_mean":
        return _blended(featmap.mean(dim=0), image, alpha)
    if channel_reduction == "select_max":
        return _blended(featmap[_largest(featmap, 1)[0]], image, alpha)
    if topk <= 0:
        return _as_it_is(featmap, image, alpha)
    return _grid(featmap, image, topk, arrangement, alpha)


def heat_colors(values: np.ndarray) -> np.ndarray:
    """Values of 0 to 1 from blue over green to red: ``(..., 3)``, uint8.

    The "jet" colours: each channel is a trapezium, ``1.5 - |4 v - c|`` cut to 0 to 1,
    with its middle ``c`` at 3, 2 and 1 for red, green and blue.
    """
    middles = np.array([3.0, 2.0, 1.0])
    channels: np.ndarray = np.clip(1.5 - np.abs(4 * values[..., None] - middles), 0, 1)
    return np.round(255 * channels).astype(np.uint8)


def _as_it_is(featmap: Tensor, image: np.ndarray | None, alpha: float) -> np.ndarray:
    if featmap.shape[0] == 1:
        return _blended(featmap[0], image, alpha)
    if featmap.shape[0] == 3:
        scaled: np.ndarray = np.stack([_scaled(channel) for channel in featmap], axis=-1)
        return _mixed(np.round(255 * scaled).astype(np.uint8), image, alpha)
    raise InvalidSettingsError(
        f"a map of {featmap.shape[0]} channels cannot be shown as it is; give topk above 0 for a "
        "grid, or a channel_reduction"
    )


def _grid(
    featmap: Tensor, image: np.ndarray | None, topk: int, arrangement: Any, alpha: float
) -> np.ndarray:
    num_rows, num_columns = arrangement
    topk = min(topk, featmap.shape[0])
    if num_rows * num_columns < topk:
        raise InvalidSettingsError(
            f"an arrangement of {num_rows} x {num_columns} has no place for {topk} channels; give "
            "more rows or columns, or a smaller topk"
        )
    shown = [_blended(featmap[channel], image, alpha) for channel in _largest(featmap, topk)]
    height, width = featmap.shape[1:]
    grid = np.full((num_rows * height, num_columns * width, 3), 255, np.uint8)
    for place, tile in enumerate(shown):
        row, column = divmod(place, num_columns)
        grid[row * height : (row + 1) * height, column * width : (column + 1) * width] = tile
    return grid


def _largest(featmap: Tensor, count: int) -> list[int]:
    indices: list[int] = featmap.sum(dim=(1, 2)).topk(count).indices.tolist()
    return indices


def _blended(channel: Tensor, image: np.ndarray | None, alpha: float) -> np.ndarray:
    return _mixed(heat_colors(_scaled(channel)), image, alpha)


def _mixed(colors: np.ndarray, image: np.ndarray | None, alpha: float) -> np.ndarray:
    if image is None:
        return colors
    mixed = colors.astype(np.float64) * alpha + image.astype(np.float64) * (1 - alpha)
    return np.round(mixed).astype(np.uint8)


def _scaled(channel: Tensor) -> np.ndarray:
    """From the least to the greatest value as 0 to 1; a flat map is 0."""
    values = channel.numpy().astype(np.float64)
    low, high = values.min(), values.max()
    return (values - low) / (high - low) if high > low else np.zeros_like(values)


def _fitted(
    featmap: Tensor, image: np.ndarray | None, resize_shape: Sequence[int] | None
) -> tuple[Tensor, np.ndarray | None]:
    """Map and image of one size."""
    target = tuple(resize_shape) if resize_shape is not None else None
    if image is not None and target is None and tuple(featmap.shape[1:]) != image.shape[:2]:
        warnings.warn(
            f"the map of {tuple(featmap.shape[1:])} is scaled to the image of {image.shape[:2]}",
            UserWarning,
            stacklevel=3,
        )
        target = image.shape[:2]
    if target is None:
        return featmap, image
    if image is not None:
        channels = torch.from_numpy(image).permute(2, 0, 1).float()
        image = _resized(channels, target).round().clamp(0, 255).byte().permute(1, 2, 0).numpy()
    return _resized(featmap, target), image


def _resized(channels: Tensor, size: Sequence[int]) -> Tensor:
    shape = (int(size[0]), int(size[1]))
    return functional.interpolate(channels[None], shape, mode="bilinear", align_corners=False)[0]


def _as_rgb(image: np.ndarray) -> np.ndarray:
    return np.stack([image] * 3, axis=-1) if image.ndim == 2 else image
