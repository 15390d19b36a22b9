"""What a training loop adds to its steps: over a bare loop, beside MMEngine's.

The job is small on purpose: ``Linear(8, 8)``, SGD with a schedule for each
iteration, in-memory batches, one logged loss. A subject's time is what 1,000
further iterations cost: a run of 1,200 less one of 200, so that set-up and the
checkpoint at the end do not count. Goal: at most 0.40 of what MMEngine adds.

    python benchmarks/runner_loop.py [--losses 20] [--repeats 5]
"""

from __future__ import annotations

import argparse
import contextlib
import logging
import os
import statistics
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import torch
from mmengine.model import BaseModel as TheirModel
from mmengine.runner import Runner as TheirRunner
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from tk_runner import BaseModel as OurModel
from tk_runner import Runner as OurRunner

SHORT, LONG = 200, 1200
BATCH = 4
GOAL = 0.40


def data(iterations: int) -> DataLoader:
    rows = torch.randn(iterations * BATCH, 8)
    return DataLoader(TensorDataset(rows, rows), batch_size=BATCH)


def forward(self: nn.Module, x: torch.Tensor, y: torch.Tensor, mode: str = "loss"):
    loss = (self.net(x) - y).square().mean()
    more = {f"aux_{place}": loss.detach() for place in range(self.losses - 1)}
    return {"loss": loss, **more}


def model_of(base: type, losses: int) -> nn.Module:
    kind = type("Small", (base,), {"forward": forward})
    model = kind()
    model.net, model.losses = nn.Linear(8, 8), losses
    return model


def bare(iterations: int, losses: int, interval: int) -> None:
    net = nn.Linear(8, 8)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 0.5, total_iters=iterations)
    for x, y in data(iterations):
        loss = (net(x) - y).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()


def settings(model: nn.Module, folder: str, iterations: int, interval: int) -> dict:
    return {
        "model": model,
        "work_dir": folder,
        "train_dataloader": data(iterations),
        "train_cfg": {"by_epoch": True, "max_epochs": 1},
        "optim_wrapper": {"optimizer": {"type": "SGD", "lr": 0.01}},
        "param_scheduler": {
            "type": "LinearLR",
            "start_factor": 0.5,
            "by_epoch": False,
            "end": iterations,
        },
        "default_hooks": {"logger": {"type": "LoggerHook", "interval": interval}},
        "randomness": {"seed": 0},
    }


def theirs(iterations: int, losses: int, interval: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        TheirRunner(
            **settings(model_of(TheirModel, losses), folder, iterations, interval),
            experiment_name=f"run{time.perf_counter_ns()}",
        ).train()


def ours(iterations: int, losses: int, interval: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        run = settings(model_of(OurModel, losses), folder, iterations, interval)
        with OurRunner(**run) as runner:
            runner.train()


SUBJECTS: dict[str, Callable[[int, int, int], None]] = {
    "bare": bare,
    "mmengine": theirs,
    "tk": ours,
}


def per_iteration(subject: Callable[[int, int, int], None], losses: int, interval: int) -> float:
    """CPU microseconds of one further iteration."""
    taken = []
    for iterations in (SHORT, LONG):
        start = time.process_time()
        subject(iterations, losses, interval)
        taken.append(time.process_time() - start)
    return (taken[1] - taken[0]) / (LONG - SHORT) * 1e6


def measure(losses: int, interval: int, repeats: int) -> dict[str, float]:
    """The median of every subject over repeats in which they take turns."""
    taken: dict[str, list[float]] = {name: [] for name in SUBJECTS}
    with Path(os.devnull).open("w") as sink, contextlib.redirect_stdout(sink):
        for repeat in range(repeats + 1):
            for name, subject in SUBJECTS.items():
                figure = per_iteration(subject, losses, interval)
                if repeat:  # the first one fills caches
                    taken[name].append(figure)
    return {name: statistics.median(figures) for name, figures in taken.items()}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--losses", type=int, default=1)
    options.add_argument("--repeats", type=int, default=5)
    chosen = options.parse_args()
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    for interval in (10, 50):
        found = measure(chosen.losses, interval, chosen.repeats)
        added = {name: found[name] - found["bare"] for name in ("mmengine", "tk")}
        ratio = added["tk"] / added["mmengine"]
        print(f"\nlog every {interval}, {chosen.losses} losses, CPU us an iteration")
        for name, figure in found.items():
            print(f"  {name:<9} {figure:8.1f}  over bare {figure - found['bare']:8.1f}")
        print(f"  ratio of what is added: {ratio:.2f} (goal <= {GOAL}: {verdict(ratio, GOAL)})")


def verdict(ratio: float, goal: float) -> str:
    return "met" if ratio <= goal else "MISSED"


if __name__ == "__main__":
    sys.exit(main())
