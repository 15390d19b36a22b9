"""Timing subjects side by side, so that a busy machine disturbs all of them alike.

The figure is CPU time of the process, the median over repeats in which the subjects
take turns; the ratio between two of them is the result, the seconds an illustration.
"""

from __future__ import annotations

import gc
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from typing import NamedTuple


class Timing(NamedTuple):
    """CPU seconds of one call: the median over the repeats, the least and the most."""

    median: float
    least: float
    most: float


def paired(
    subjects: Mapping[str, Callable[[], object]], repeats: int = 7, calls: int = 1
) -> dict[str, Timing]:
    """Time every subject ``repeats`` times, in turns, ``calls`` calls at a time."""
    taken: dict[str, list[float]] = {name: [] for name in subjects}
    for subject in subjects.values():
        subject()  # first calls import and fill caches
    for _ in range(repeats):
        for name, subject in subjects.items():
            gc.collect()  # not the rubbish of the one before
            start = time.process_time()
            for _ in range(calls):
                subject()
            taken[name].append((time.process_time() - start) / calls)
    return {name: _timing(times) for name, times in taken.items()}


def paired_programs(programs: Mapping[str, str], repeats: int = 7) -> dict[str, Timing]:
    """Time pieces of code that each need a fresh interpreter, in turns.

    A program prints one number, which is taken as its seconds.
    """
    taken: dict[str, list[float]] = {name: [] for name in programs}
    for repeat in range(repeats + 1):
        for name, program in programs.items():
            done = subprocess.run(
                [sys.executable, "-c", program], check=True, capture_output=True, text=True
            )
            if repeat:  # the first only warms the page cache
                taken[name].append(float(done.stdout.split()[-1]))
    return {name: _timing(times) for name, times in taken.items()}


def _timing(times: list[float]) -> Timing:
    return Timing(statistics.median(times), min(times), max(times))


def show(title: str, timings: Mapping[str, Timing], to: str, goals: Mapping[str, float]) -> None:
    """Print a table of one figure: times, the ratio to the subject ``to``, the goals for it."""
    width = max(map(len, timings))
    print(f"\n{title}")
    for name, timing in timings.items():
        scale, unit = _unit(timing.median)
        low, middle, high = (
            f"{value * scale:,.3g}" for value in (timing.least, timing.median, timing.most)
        )
        ratio = timing.median / timings[to].median
        line = f"  {name.ljust(width)}  {middle:>8} {unit} [{low}-{high}]  ratio {ratio:.3f}"
        if name in goals:
            line += f"  (goal <= {goals[name]:g}: {'met' if ratio <= goals[name] else 'MISSED'})"
        print(line)


def _unit(seconds: float) -> tuple[float, str]:
    for scale, unit in ((1.0, "s"), (1e3, "ms"), (1e6, "us")):
        if seconds * scale >= 1:
            return scale, unit
    return 1e9, "ns"
