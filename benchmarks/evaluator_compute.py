"""tk-evaluator beside mmengine: collecting 100,000 samples, and computing over their results.

Run with an interpreter that has mmengine:

    python benchmarks/evaluator_compute.py
"""

from __future__ import annotations

import argparse
import logging
from collections.abc import Callable
from typing import Any

import mmengine.evaluator as theirs
from paired import paired, show

import tk_evaluator as ours
from tk_evaluator import to_cpu

NUM_SAMPLES = 100_000
BATCH_SIZE = 32


def metric_for(base: type) -> Any:
    """The same small metric on either base class."""

    class Correct(base):
        default_prefix = "bench"

        def process(self, data_batch: Any, data_samples: Any) -> None:
            self.results.extend(data_samples)

        def compute_metrics(self, results: list[Any]) -> dict[str, Any]:
            correct = sum(result["pred"] == result["label"] for result in results)
            return {"accuracy": correct / len(results)}

    return Correct()


def samples() -> list[dict[str, int]]:
    """One small dict a sample."""
    return [{"pred": i % 10, "label": i % 7} for i in range(NUM_SAMPLES)]


def computing(metric: Any, entries: list[Any]) -> Callable[[], Any]:
    """Evaluate entries that are there already."""

    def run() -> Any:
        metric.results = list(entries)
        return metric.evaluate(NUM_SAMPLES)

    return run


def as_with_accelerator(run: Callable[[], Any]) -> Callable[[], Any]:
    """The same as on a machine whose accelerator is in use, where results must be looked at."""

    def watched() -> Any:
        original = to_cpu.holds_only_cpu_memory
        to_cpu.holds_only_cpu_memory = lambda: False
        try:
            return run()
        finally:
            to_cpu.holds_only_cpu_memory = original

    return watched


def collecting(evaluator: Any, batches: list[Any], *, with_indices: bool) -> Callable[[], Any]:
    """Feed all batches, and forget them."""

    starts = range(0, len(batches) * BATCH_SIZE, BATCH_SIZE)  # a loader makes the lists
    indices = [list(range(at, at + len(batch))) for at, batch in zip(starts, batches, strict=True)]

    def run() -> None:
        for batch, places in zip(batches, indices, strict=True):
            if with_indices:
                evaluator.process(batch, indices=places)
            else:
                evaluator.process(batch)
        for metric in evaluator.metrics:
            getattr(metric, "reset", metric.results.clear)()

    return run


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("--repeats", type=int, default=11)
    repeats = parser.parse_args().repeats
    logging.disable(logging.WARNING)
    entries = samples()
    batches = [entries[i : i + BATCH_SIZE] for i in range(0, NUM_SAMPLES, BATCH_SIZE)]
    plain = metric_for(object)

    compute = {
        "mmengine": computing(metric_for(theirs.BaseMetric), entries),
        "tk": computing(metric_for(ours.BaseMetric), entries),
        "tk, accelerator in use": as_with_accelerator(
            computing(metric_for(ours.BaseMetric), entries)
        ),
        "the bare function": lambda: plain.compute_metrics(list(entries)),
    }
    goals = {"tk": 0.10, "tk, accelerator in use": 0.10}
    show(f"computing over {NUM_SAMPLES:,} results", paired(compute, repeats), "mmengine", goals)

    their_evaluator = theirs.Evaluator(metric_for(theirs.BaseMetric))
    our_evaluator = ours.Evaluator(metric_for(ours.BaseMetric))
    collect = {
        "mmengine": collecting(their_evaluator, batches, with_indices=False),
        "tk": collecting(our_evaluator, batches, with_indices=False),
        "tk, with indices": collecting(our_evaluator, batches, with_indices=True),
    }
    title = f"collecting {NUM_SAMPLES:,} samples by {BATCH_SIZE}"
    show(title, paired(collect, repeats), "mmengine", {"tk": 0.5})


if __name__ == "__main__":
    main()
