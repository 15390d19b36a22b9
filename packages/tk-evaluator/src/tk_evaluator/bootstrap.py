"""Error bars of results, by computing them again over samples drawn with replacement.

Source: Efron 1979, the bootstrap; the interval is that of the percentiles. The
draws come from a seed of their own, so that the bars are the same in each run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .errors import SettingsError


@dataclass(frozen=True)
class Bootstrap:
    """How error bars are found.

    Attributes:
        resamples: how often the results are computed again.
        level: the share of resamples that lie within the bars.
        seed: of the draws.
    """

    resamples: int
    level: float = 0.95
    seed: int = 0

    def __post_init__(self) -> None:
        if self.resamples < 2:
            raise SettingsError(f"resamples={self.resamples} gives no interval; use 2 or more")
        if not 0.0 < self.level < 1.0:
            raise SettingsError(f"level={self.level} must lie between 0 and 1, both excluded")

    def bars(
        self, compute: Callable[[Sequence[Any]], Mapping[str, Any]], entries: Sequence[Any]
    ) -> dict[str, float]:
        """``<name>_low`` and ``<name>_high`` of each result that is a number.

        Args:
            compute: from entries to results by name.
            entries: one a sample.
        """
        draw = np.random.default_rng(self.seed)
        values: dict[str, list[float]] = {}
        for _ in range(self.resamples):
            places = draw.integers(0, len(entries), len(entries)).tolist()
            for name, value in compute([entries[place] for place in places]).items():
                if isinstance(value, (int, float)):
                    values.setdefault(name, []).append(float(value))
        ends = {"low": (1.0 - self.level) / 2.0, "high": (1.0 + self.level) / 2.0}
        return {
            f"{name}_{end}": float(np.quantile(found, share))
            for name, found in values.items()
            for end, share in ends.items()
        }
