"""Small metrics and data for the tests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tk_dist import get_dist_info
from tk_evaluator import BaseMetric, Evaluator


class Listing(BaseMetric):
    """Reports its entries in the order that it gets them."""

    default_prefix = "listing"

    def process(self, data_batch: Any, data_samples: Sequence[Any]) -> None:
        self.results.extend(data_samples)

    def compute_metrics(self, results: list[Any]) -> dict[str, Any]:
        return {"entries": list(results), "count": len(results)}


class BatchSums(BaseMetric):
    """Keeps one entry a batch."""

    default_prefix = "sums"

    def process(self, data_batch: Any, data_samples: Sequence[Any]) -> None:
        self.results.append((sum(data_samples), len(data_samples)))

    def compute_metrics(self, results: list[Any]) -> dict[str, Any]:
        total = sum(part for part, _ in results)
        return {"mean": total / sum(count for _, count in results), "total": total}


class Failing(BaseMetric):
    """Raises the error it is given."""

    default_prefix = "failing"

    def __init__(self, error: Exception, *, at_sample: Any = None) -> None:
        super().__init__()
        self.error = error
        self.at_sample = at_sample

    def process(self, data_batch: Any, data_samples: Sequence[Any]) -> None:
        for sample in data_samples:
            if self.at_sample is not None and sample == self.at_sample:
                raise self.error
            self.results.append(sample)

    def compute_metrics(self, results: list[Any]) -> dict[str, Any]:
        raise self.error


def batches(indices: Sequence[int], batch_size: int) -> Iterator[list[int]]:
    for start in range(0, len(indices), batch_size):
        yield list(indices[start : start + batch_size])


def evaluate_share(
    evaluator: Evaluator, indices: Sequence[int], batch_size: int, size: int
) -> dict[str, Any]:
    """Evaluate samples that are ten times their index, of this rank's indices."""
    for batch in batches(indices, batch_size):
        evaluator.process([10 * index for index in batch], indices=batch)
    return evaluator.evaluate(size)


def round_robin(size: int) -> list[int]:
    rank, world_size = get_dist_info()
    return list(range(rank, size, world_size))
