"""Bringing the entries of one metric together on rank 0, in the order they count in.

What is one a sample is ordered by the samples' indices, and a sample met twice
counts once. What is not keeps its order of arrival, first of each rank, second
of each, and so on, uncut. No entry is looked at here, and nothing is computed
while ranks wait for each other: `gather` brings the entries, the function that
it returns puts them in order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tk_dist import collect_results, gather_object, get_rank

from .arrangement import Order, Plan, by_index, doubts, gaps, interleaved
from .sample_tags import SampleTags
from .spill import SpilledResults, SpillFile

Arrival = Callable[[], tuple[Sequence[Any], "str | None"]]
"""The ordered entries, and what does not add up about them."""

_ENTRIES_A_MESSAGE = 1024  # spilled entries that travel, and are in memory, at once


@dataclass(frozen=True)
class Route:
    """How results travel: what `tk_dist.collect_results` is told."""

    device: str
    folder: str | None


def gather(results: list[Any], tags: SampleTags, plan: Plan, route: Route) -> Arrival | None:
    """How to get the ordered entries of all ranks, on rank 0; ``None`` on the others."""
    is_alone = len(plan.shares) == 1
    if plan.kind != "indexed":
        if is_alone:
            return lambda: (results, doubts(plan))
        collected = collect_results(results, plan.num_kept, route.device, route.folder)
        return None if collected is None else lambda: (collected, doubts(plan))
    if is_alone:
        return lambda: _by_index(plan, tags.indices(), results)
    pairs = list(zip(tags.indices().tolist(), results, strict=True))
    tagged = collect_results(pairs, plan.total, route.device, route.folder)
    if tagged is None:
        return None
    return lambda: _by_index(
        plan, np.array([index for index, _ in tagged]), [entry for _, entry in tagged]
    )


def _by_index(plan: Plan, indices: Order, entries: list[Any]) -> tuple[list[Any], str | None]:
    if not np.array_equal(indices, np.arange(len(indices))):  # the usual case on one rank
        entries = [entries[at] for at in by_index(indices).tolist()]
    return entries, gaps(indices, plan.size)


def gather_spilled(
    own: SpillFile | list[Any], tags: SampleTags, plan: Plan, folder: str | None
) -> Arrival | None:
    """As `gather`, with no more than a chunk of each rank in memory at a time.

    Args:
        own: this rank's entries; a rank may hold so few that all are in memory.
        tags: their samples.
        plan: what all ranks know.
        folder: where rank 0 keeps what arrives; ``None`` is the system's choice.
    """
    if isinstance(own, SpillFile) and len(plan.shares) == 1:
        order, doubt = _order(plan, tags.indices())
        return lambda: (SpilledResults(own, order), doubt)
    indices = gather_object(tags.indices() if plan.kind == "indexed" else np.empty(0, np.int64))
    inbox = _Inbox(folder, len(plan.shares))
    for start in range(0, max(share.count for share in plan.shares), _ENTRIES_A_MESSAGE):
        stop = start + _ENTRIES_A_MESSAGE
        chunk = own.read_range(start, stop) if isinstance(own, SpillFile) else own[start:stop]
        chunks = gather_object(chunk)
        if chunks is not None:
            inbox.take(chunks)
    if get_rank() != 0 or indices is None:
        return None
    return lambda: inbox.ordered(*_order(plan, np.concatenate(indices)))


def _order(plan: Plan, indices: Order) -> tuple[Order, str | None]:
    if plan.kind == "indexed":
        return by_index(indices), gaps(indices, plan.size)
    counts = [share.count for share in plan.shares]
    return interleaved(counts)[: plan.num_kept], doubts(plan)


class _Inbox:
    """Chunks of all ranks on rank 0's disk; a full disk is told later, when nobody waits."""

    def __init__(self, folder: str | None, num_ranks: int) -> None:
        self._folder = folder
        self._file: SpillFile | None = None
        self._places: list[list[int]] = [[] for _ in range(num_ranks)]
        self._error: OSError | None = None

    def take(self, chunks: Sequence[list[Any]]) -> None:
        """Store one chunk of each rank."""
        if self._error is not None:
            return
        try:
            if self._file is None:
                self._file = SpillFile(self._folder)
            for places, chunk in zip(self._places, chunks, strict=True):
                places.extend(range(len(self._file), len(self._file) + len(chunk)))
                self._file.extend(chunk)
        except OSError as error:
            self._error = error

    def ordered(self, order: Order, doubt: str | None) -> tuple[SpilledResults, str | None]:
        """The stored entries; ``order`` counts them rank by rank."""
        if self._error is not None or self._file is None:
            raise self._error or OSError("nothing arrived")
        places = np.array([place for rank in self._places for place in rank], dtype=np.int64)
        return SpilledResults(self._file, places[order]), doubt
