"""Points, boxes and masks as arrays, with their shapes checked."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import torch

from ..errors import InvalidSettingsError

Array = np.ndarray


def as_array(name: str, value: Any) -> Array:
    """An array of what is an array, a tensor on any device, or a list of numbers.

    Raises:
        TypeError: it is something else.
    """
    if isinstance(value, torch.Tensor):
        value = value.detach().cpu()
        return np.asarray(value.float() if value.dtype == torch.bfloat16 else value)
    if isinstance(value, (np.ndarray, list, tuple)):
        return np.asarray(value)
    raise TypeError(f"{name} must be an array, a tensor or a list, got {type(value).__name__}")


def rows(name: str, value: Any, width: int) -> Array:
    """``(n, width)`` floats; a single row gets its leading dimension.

    Raises:
        InvalidSettingsError: another shape, or values that are not finite.
    """
    array = as_array(name, value)
    if array.size == 0:
        return np.empty((0, width))
    array = array[None] if array.ndim == 1 else array
    if array.ndim != 2 or array.shape[1] != width:
        raise InvalidSettingsError(
            f"{name} must have the shape (n, {width}) or ({width},), got {np.shape(value)}"
        )
    array = array.astype(np.float64)
    if not np.isfinite(array).all():
        raise InvalidSettingsError(f"{name} holds values that are NaN or infinite")
    return array


def numbers(name: str, value: Any, count: int) -> Array:
    """``(count,)`` floats; one number stands for a list of one.

    Raises:
        InvalidSettingsError: another number of values.
    """
    array = np.atleast_1d(as_array(name, [value] if np.isscalar(value) else value))
    if array.shape != (count,):
        raise InvalidSettingsError(
            f"{name} has the shape {array.shape} and there are {count} items; give one for each"
        )
    return array.astype(np.float64)


def boxes(value: Any) -> Array:
    """``(n, 4)`` as x1, y1, x2, y2.

    Raises:
        InvalidSettingsError: another shape, or x1 > x2, or y1 > y2.
    """
    array = rows("bboxes", value, 4)
    wrong = np.flatnonzero((array[:, 0] > array[:, 2]) | (array[:, 1] > array[:, 3]))
    if len(wrong):
        raise InvalidSettingsError(
            f"box {wrong[0]} is {array[wrong[0]].tolist()}; boxes are x1, y1, x2, y2 with "
            "x1 <= x2 and y1 <= y2"
        )
    return array


def masks(value: Any, size: tuple[int, int]) -> Array:
    """``(n, h, w)`` booleans of the image's height and width.

    Raises:
        InvalidSettingsError: another dtype or size.
    """
    array = as_array("binary_masks", value)
    array = array[None] if array.ndim == 2 else array
    if array.dtype != np.bool_ or array.shape[1:] != size:
        raise InvalidSettingsError(
            f"binary_masks must be booleans of the shape (n, {size[0]}, {size[1]}) of the image, "
            f"got {array.dtype} of the shape {array.shape}; compare with a threshold first"
        )
    return array


def warn_outside(name: str, points: Array, size: tuple[int, int]) -> None:
    """Tell of points ``(n, 2)`` that lie outside of an image of height and width ``size``."""
    height, width = size
    inside = (points >= 0).all(axis=-1) & (points[..., 0] <= width) & (points[..., 1] <= height)
    if not inside.all():
        warnings.warn(
            f"{name}: {int((~inside).sum())} points lie outside of the image of {width} x {height} "
            "pixels; what is inside is drawn",
            UserWarning,
            stacklevel=4,
        )
