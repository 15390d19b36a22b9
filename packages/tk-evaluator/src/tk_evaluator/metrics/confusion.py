"""Counting how often which class was taken for which."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.int64]


def confusion_matrix(target: Any, pred: Any, num_classes: int) -> Counts:
    """``(num_classes, num_classes)``: row by true class, column by predicted class.

    Args:
        target: labels from 0 up to ``num_classes``, any shape.
        pred: labels of the same shape.
        num_classes: classes in all.
    """
    pairs = num_classes * np.asarray(target, np.int64).ravel() + np.asarray(pred, np.int64).ravel()
    return np.bincount(pairs, minlength=num_classes**2).reshape(num_classes, num_classes)


def safe_ratio(part: Any, whole: Any, *, empty: float) -> NDArray[np.float64]:
    """``part / whole`` by element in float64, ``empty`` where ``whole`` is 0."""
    filled = np.full(np.shape(whole), empty, dtype=np.float64)
    np.divide(part, whole, out=filled, where=np.asarray(whole) != 0)
    return filled
