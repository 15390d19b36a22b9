"""What a collective costs where there is nobody to talk to: one process, without a group.

Run with an interpreter that has mmengine and our sources:
    PYTHONPATH=packages/tk-dist/src python benchmarks/dist_alone.py
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import mmengine.dist
import torch

import tk_dist

TENSOR = torch.ones(10)
LOSSES = {"loss": TENSOR, "acc": TENSOR}
CALLS: dict[str, tuple[str, tuple[object, ...]]] = {
    "all_reduce": ("all_reduce", (TENSOR,)),
    "all_reduce mean": ("all_reduce", (TENSOR, "mean")),
    "all_gather": ("all_gather", (TENSOR,)),
    "gather": ("gather", (TENSOR,)),
    "broadcast": ("broadcast", (TENSOR,)),
    "all_reduce_dict": ("all_reduce_dict", (LOSSES,)),
    "all_gather_object": ("all_gather_object", (1,)),
    "broadcast_object_list": ("broadcast_object_list", ([1],)),
    "collect_results of 10": ("collect_results", (list(range(10)), 10)),
    "barrier": ("barrier", ()),
    "get_rank": ("get_rank", ()),
}


def microseconds(call: Callable[..., object], args: tuple[object, ...], number: int) -> float:
    start = time.process_time()
    for _ in range(number):
        call(*args)
    return (time.process_time() - start) / number * 1e6


def main() -> None:
    print(f"{'us a call':24}{'mmengine':>10}{'tk_dist':>10}{'ratio':>8}")
    for label, (name, args) in CALLS.items():
        rounds: list[tuple[float, float]] = []
        for _ in range(7):
            theirs = microseconds(getattr(mmengine.dist, name), args, 20_000)
            ours = microseconds(getattr(tk_dist, name), args, 20_000)
            rounds.append((theirs, ours))
        theirs, ours = (statistics.median(column) for column in zip(*rounds, strict=True))
        print(f"{label:24}{theirs:10.2f}{ours:10.2f}{ours / theirs:8.2f}")


if __name__ == "__main__":
    main()
