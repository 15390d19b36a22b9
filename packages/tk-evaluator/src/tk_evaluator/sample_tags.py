"""Which stored result belongs to which sample.

Nobody asks a metric: the number of entries that one call of ``process`` added
tells. As many as there were samples means one a sample; anything else, once,
means that this metric keeps its entries by batch (or a state of its own).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from .errors import SettingsError

Kind = Literal["nothing", "indexed", "per sample", "per batch", "unwatched"]


@dataclass(frozen=True)
class Share:
    """What one rank holds, in a few bytes that every rank can know.

    ``num_seen`` counts the samples shown with an index; ``None``: some came
    without one.
    """

    count: int
    kind: Kind
    num_seen: int | None
    is_spilled: bool = False


class SampleTags:
    """The sample indices of one metric's entries, on this rank, in order of arrival.

    A batch is only noted when it comes; what the notes mean is worked out when
    somebody asks.
    """

    def __init__(self, per_sample: bool | None = None) -> None:
        self._declared = per_sample
        self._batches: list[Sequence[int]] = []
        self._some_without_index = False
        self._is_per_batch = per_sample is False
        self._num_grown = 0

    def note(self, grown: int, indices: Sequence[int] | None, num_samples: int | None) -> None:
        """Take account of one call of ``process`` that added ``grown`` entries.

        Args:
            grown: entries that the call added.
            indices: the samples' places in the data set, where known.
            num_samples: samples of the call, where they can be counted.
        """
        self._num_grown += grown
        if indices is None:
            self._some_without_index = True
        else:
            self._batches.append(indices)
        if grown != num_samples:
            self._surprise(grown, indices)

    def _surprise(self, grown: int, indices: Sequence[int] | None) -> None:
        if self._declared is None:
            self._is_per_batch = True
        elif self._declared and indices is not None:
            raise SettingsError(
                f"process added {grown} results for {len(indices)} indices, and the metric "
                "promises one a sample (per_sample=True); give one index for each sample"
            )

    def share(self, count: int, *, is_spilled: bool = False) -> Share:
        """The summary for the other ranks, given that ``count`` entries are stored now."""
        num_seen = sum(map(len, self._batches))
        kind = self._kind(count, num_seen)
        is_known = kind != "unwatched" and not self._some_without_index
        return Share(count, kind, num_seen if is_known else None, is_spilled)

    def _kind(self, count: int, num_seen: int) -> Kind:
        if count == 0:
            return "nothing"
        if self._is_per_batch:
            return "per batch"
        if self._num_grown != count:  # changed elsewhere than in ``process``
            return "per sample" if self._declared else "unwatched"
        if num_seen == count and not self._some_without_index:
            return "indexed"
        return "per sample"

    def indices(self) -> NDArray[np.int64]:
        """One index an entry."""
        count = sum(map(len, self._batches))
        return np.fromiter(chain.from_iterable(self._batches), dtype=np.int64, count=count)


def num_samples_of(data_samples: Any) -> int | None:
    """How many samples a batch of predictions holds, where it can be counted."""
    if isinstance(data_samples, Mapping):
        return None  # its length counts fields
    try:
        return len(data_samples)
    except TypeError:  # no length, or a tensor without dimensions
        return None
