"""What a config of 600 keys adds to a run: to its start and to one checkpoint.

    python benchmarks/runner_startup.py [--repeats 3]

A run of 20 iterations with the config handed in, less one without. MMEngine
formats the config again and again, so that a repeat takes some ten seconds.
Needs an interpreter with mmengine. Goal: at most 0.05 of what it adds there.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from typing import Any

from mmengine.config import Config as TheirConfig
from mmengine.runner import Runner as TheirRunner
from runner_job import OurModel, OurRunner, TheirModel, model_of, quiet, settings, verdict

from tk_config import Config as OurConfig

GOAL = 0.05
KEYS = {
    f"stage_{stage}": {
        "type": "Stage",
        "channels": [64, 128, stage],
        "norm": {"type": "BN", "eps": 1e-5, "requires_grad": True},
        **{f"option_{place}": place * 0.5 for place in range(5)},
    }
    for stage in range(60)
}


def theirs(config: dict[str, Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        run = settings(model_of(TheirModel, 1), folder, 20, 10)
        name = f"run{time.perf_counter_ns()}"
        TheirRunner(**run, cfg=TheirConfig(config), experiment_name=name).train()


def ours(config: dict[str, Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        run = settings(model_of(OurModel, 1), folder, 20, 10)
        with OurRunner(**run, cfg=OurConfig(config)) as runner:
            runner.train()


SUBJECTS: dict[str, Callable[[dict[str, Any]], None]] = {"mmengine": theirs, "tk": ours}


def cpu_s(subject: Callable[[dict[str, Any]], None], config: dict[str, Any]) -> float:
    with quiet():
        start = time.process_time()
        subject(config)
        return time.process_time() - start


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--repeats", type=int, default=3)
    added: dict[str, list[float]] = {name: [] for name in SUBJECTS}
    for subject in SUBJECTS.values():
        cpu_s(subject, {})  # imports, caches
    for _ in range(options.parse_args().repeats):
        for name, subject in SUBJECTS.items():
            without = statistics.median(cpu_s(subject, {}) for _ in range(3))
            added[name].append(cpu_s(subject, KEYS) - without)
    medians = {name: statistics.median(figures) for name, figures in added.items()}
    print("\na config of 600 keys, start and one checkpoint, CPU ms added")
    for name, figure in medians.items():
        print(f"  {name:<9} {figure * 1e3:8.1f}")
    ratio = medians["tk"] / medians["mmengine"]
    print(f"  ratio: {ratio:.4f} ({verdict(ratio, GOAL)})")


if __name__ == "__main__":
    main()
