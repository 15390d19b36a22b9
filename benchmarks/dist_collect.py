"""Collecting results on rank 0 of two gloo ranks: CPU time and memory, against MMEngine's default.

Run with an interpreter that has mmengine and our sources:
    PYTHONPATH=packages/tk-dist/src python benchmarks/dist_collect.py

Time: the subjects run in the same pair of processes, in turn, several times; medians.
CPU is that of both ranks (all threads). Memory: what the worse rank needed on top of
what it had, in a fresh pair of processes for each subject, since memory that was used
once is not given back to the system.
"""

from __future__ import annotations

import argparse
import gc
import os
import re
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

import tk_dist

Collect = Callable[[list[Any], int], Any]


def theirs(results: list[Any], size: int) -> Any:
    from mmengine.dist import collect_results

    return collect_results(results, size, "cpu")


def ours(results: list[Any], size: int) -> Any:
    return tk_dist.collect_results(results, size)


def raw(results: list[Any], size: int) -> Any:
    gathered: list[Any] | None = [None, None] if tk_dist.get_rank() == 0 else None
    torch.distributed.gather_object(results, gathered)
    return gathered


def arrays(count: int) -> list[Any]:
    return [np.random.default_rng(i).random((128, 128), np.float32) for i in range(count)]


def large_arrays(count: int) -> list[Any]:
    rng = np.random.default_rng(0)
    return [rng.random((1024, 1600), np.float32) for _ in range(count // 100)]


def tensors(count: int) -> list[Any]:
    return [torch.from_numpy(array) for array in arrays(count)]


def small_dicts(count: int) -> list[Any]:
    return [{"id": i, "score": i / 7, "label": "cat"} for i in range(50_000)]


WORKLOADS = {
    "50 MB, 800 numpy arrays": arrays,
    "50 MB, 8 numpy arrays": large_arrays,
    "50 MB, 800 tensors": tensors,
    "100,000 small dicts": small_dicts,
}
SUBJECTS: dict[str, Collect] = {
    "mmengine (files, the default)": theirs,
    "torch gather_object": raw,
    "tk_dist": ours,
}


def status_bytes(field: str) -> int:
    found = re.search(rf"{field}:\s+(\d+) kB", Path("/proc/self/status").read_text())
    return int(found.group(1)) * 1024 if found else 0


def seconds(collect: Collect, results: list[Any], size: int) -> tuple[float, float]:
    """Return CPU and wall time of this rank."""
    gc.collect()
    tk_dist.barrier()
    cpu, start = time.process_time(), time.perf_counter()
    kept = collect(results, size)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - start
    del kept
    return cpu, wall


def extra_bytes(workload: str, name: str) -> int:
    """Return what this rank's memory grew by at its peak, in its first run but a tiny one."""
    os.chdir(os.environ["BENCH_FOLDER"])
    results = WORKLOADS[workload](400)
    SUBJECTS[name]([None, 1], 4)
    gc.collect()
    tk_dist.barrier()
    Path("/proc/self/clear_refs").write_text("5")  # the peak starts again from here
    before = status_bytes("VmRSS")
    kept = SUBJECTS[name](results, 2 * len(results))
    peak = status_bytes("VmHWM")
    del kept
    return peak - before


def times(workload: str, repeats: int) -> dict[str, list[tuple[float, float]]]:
    os.chdir(os.environ["BENCH_FOLDER"])
    results = WORKLOADS[workload](400)
    rows: dict[str, list[tuple[float, float]]] = {name: [] for name in SUBJECTS}
    for turn in range(repeats + 1):
        for name, collect in SUBJECTS.items():
            row = seconds(collect, results, 2 * len(results))
            if turn:  # the first is to warm up
                rows[name].append(row)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--repeats", type=int, default=7)
    repeats = parser.parse_args().repeats
    with tempfile.TemporaryDirectory() as folder:
        os.environ["BENCH_FOLDER"] = folder
        for workload in WORKLOADS:
            ranks = tk_dist.launch(times, 2, workload, repeats)
            print(f"\n{workload}\n{'':32}{'CPU ms':>8}{'ratio':>7}{'extra MB':>10}{'wall ms':>9}")
            base = 0.0
            for name in SUBJECTS:
                both = list(zip(*(rank[name] for rank in ranks), strict=True))
                cpu = statistics.median(sum(row[0] for row in rows) for rows in both) * 1e3
                wall = statistics.median(max(row[1] for row in rows) for rows in both) * 1e3
                extra = max(tk_dist.launch(extra_bytes, 2, workload, name)) / 1e6
                base = base or cpu
                print(f"{name:32}{cpu:8.1f}{cpu / base:7.2f}{extra:10.1f}{wall:9.0f}")


if __name__ == "__main__":
    main()
