"""Sums that do not depend on the order of their terms."""

from __future__ import annotations

import math
from collections.abc import Iterable


def exact_sum(values: Iterable[float]) -> float:
    """The float64 nearest to the true sum, so that no order of ranks or batches shows.

    Infinities and NaN give what adding them one by one gives.
    """
    terms = list(values)
    try:
        return math.fsum(terms)
    except (ValueError, OverflowError):  # inf - inf, or a sum beyond the largest float
        return sum(terms, 0.0)


def ratio(part: float, whole: float) -> float:
    """``part / whole``, NaN where nothing was counted."""
    return part / whole if whole else math.nan
