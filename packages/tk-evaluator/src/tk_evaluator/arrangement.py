"""The order of results that came from several ranks: pure rules over counts and indices.

Positions count the entries rank by rank: all of rank 0, then all of rank 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .sample_tags import Kind, Share

Order = NDArray[np.int64]

_ADVICE = (
    "if the loader stops early on purpose, give evaluate() the number of samples that it yields"
)


@dataclass(frozen=True)
class Plan:
    """What all ranks know of one metric's entries before any of them travels."""

    shares: Sequence[Share]
    size: int

    @property
    def kind(self) -> Kind:
        """What the entries are together; a rank without any has no say."""
        kinds = {share.kind for share in self.shares}
        ranked: tuple[Kind, ...] = ("per batch", "unwatched", "per sample", "indexed")
        return next((kind for kind in ranked if kind in kinds), "nothing")

    @property
    def total(self) -> int:
        """Entries of all ranks."""
        return sum(share.count for share in self.shares)

    @property
    def is_spilled(self) -> bool:
        """Whether any rank holds entries on disk."""
        return any(share.is_spilled for share in self.shares)

    @property
    def num_kept(self) -> int:
        """How many of the interleaved entries count, the rest being a sampler's padding.

        Only entries known to be one a sample are cut to the size, or a surplus
        that padding explains: a sampler adds fewer samples than there are
        ranks. One rank pads nothing.
        """
        surplus = self.total - self.size
        if self.kind == "per batch" or len(self.shares) == 1 or surplus <= 0:
            return self.total
        is_padding = self.kind == "per sample" or surplus < len(self.shares)
        return self.size if is_padding else self.total


def by_index(indices: Order) -> Order:
    """Positions in the order of the data set; of a sample met twice, the first."""
    return np.unique(indices, return_index=True)[1].astype(np.int64)


def interleaved(counts: Sequence[int]) -> Order:
    """Positions in the order of a round-robin sampler: first of each rank, and so on."""
    rank = np.repeat(np.arange(len(counts)), counts)
    turn = np.concatenate([np.arange(count) for count in counts])
    return np.lexsort((rank, turn)).astype(np.int64)


def doubts(plan: Plan) -> str | None:
    """What does not add up between the samples shown and the size given, as one sentence.

    Gaps among indexed entries are told by `gaps`, which needs the indices.
    """
    if plan.kind == "per sample":
        shown = plan.num_kept
    elif plan.kind == "per batch" and all(share.num_seen is not None for share in plan.shares):
        shown = sum(share.num_seen or 0 for share in plan.shares)
    else:
        return None
    if shown < plan.size:
        return f"only {shown} of {plan.size} samples were evaluated; {_ADVICE}"
    if shown > plan.size and plan.kind == "per batch":
        return (
            f"{shown} samples were shown for a data set of {plan.size}, so some may count twice; "
            "use a sampler that does not pad, or store one result a sample"
        )
    return None


def gaps(indices: Order, size: int) -> str | None:
    """Which samples have no result, as one sentence."""
    if len(indices) and int(indices.max()) >= size:
        return None  # a part of a larger data set: which samples were meant is not known here
    present = np.zeros(size, dtype=bool)
    present[indices] = True
    missing = np.flatnonzero(~present).tolist()
    if not missing:
        return None
    shown = ", ".join(map(str, missing[:10])) + (", ..." if len(missing) > 10 else "")
    return f"{len(missing)} of {size} samples have no result: {shown}; {_ADVICE}"
