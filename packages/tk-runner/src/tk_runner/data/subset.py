"""Which samples a subset keeps."""

from __future__ import annotations

import operator
from collections.abc import Sequence

import numpy as np
import torch


def chosen_positions(indices: object, size: int) -> Sequence[int]:
    """Positions among ``size`` that ``indices`` means, none of them negative."""
    if isinstance(indices, (np.ndarray, torch.Tensor)):
        indices = indices.tolist()
    if isinstance(indices, int) and not isinstance(indices, bool):
        return range(min(indices, size)) if indices >= 0 else range(max(size + indices, 0), size)
    if not isinstance(indices, Sequence) or isinstance(indices, (str, bytes)):
        raise TypeError(
            f"a subset is an integer or a sequence of positions, not {type(indices).__name__}"
        )
    positions = [operator.index(position) for position in indices]
    for position in positions:
        if not -size <= position < size:
            raise IndexError(f"a subset asks for sample {position} of {size}")
    return [position % size for position in positions]
