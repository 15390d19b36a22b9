"""The small job of the ``runner_*`` benchmarks, trained by a bare loop, MMEngine and us.

``Linear(8, 8)``, SGD with a schedule for each iteration, in-memory batches, a
chosen number of logged losses. The model notes the CPU time at the beginning of
every block of iterations, for every subject alike, so that neither set-up nor the
checkpoint at the end counts. Other jobs on the machine make a block slower, never
quicker: the figure is the first quartile of the blocks, not their mean.
"""

from __future__ import annotations

import contextlib
import os
import statistics
import tempfile
import time
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from mmengine.model import BaseModel as TheirModel
from mmengine.runner import Runner as TheirRunner
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from tk_runner import BaseModel as OurModel
from tk_runner import Runner as OurRunner

BLOCK = 50
BATCH = 4
Train = Callable[[int, int, int], nn.Module]


def data(iterations: int) -> DataLoader:
    rows = torch.randn(iterations * BATCH, 8)
    return DataLoader(TensorDataset(rows, rows), batch_size=BATCH)


def forward(self: nn.Module, x: torch.Tensor, y: torch.Tensor, mode: str = "loss"):
    if self.count % BLOCK == 0:
        self.stamps.append(time.process_time())
    self.count += 1
    loss = (self.net(x) - y).square().mean()
    more = {f"aux_{place}": loss.detach() for place in range(self.losses - 1)}
    return {"loss": loss, **more}


def model_of(base: type, losses: int) -> nn.Module:
    model = type("Small", (base,), {"forward": forward})()
    model.net, model.losses = nn.Linear(8, 8), losses
    model.count, model.stamps = 0, []
    return model


def settings(model: nn.Module, folder: str, iterations: int, interval: int) -> dict[str, Any]:
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


def bare(iterations: int, losses: int, interval: int) -> nn.Module:
    model = model_of(nn.Module, 1)  # the losses of the others are what is measured
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 0.5, total_iters=iterations)
    for x, y in data(iterations):
        loss = model.forward(x, y)["loss"]
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    return model


def theirs(iterations: int, losses: int, interval: int) -> nn.Module:
    model = model_of(TheirModel, losses)
    name = f"run{time.perf_counter_ns()}"
    with tempfile.TemporaryDirectory() as folder:
        run = settings(model, folder, iterations, interval)
        TheirRunner(**run, experiment_name=name).train()
    return model


def ours(iterations: int, losses: int, interval: int) -> nn.Module:
    model = model_of(OurModel, losses)
    with tempfile.TemporaryDirectory() as folder:
        run = settings(model, folder, iterations, interval)
        with OurRunner(**run) as runner:
            runner.train()
    return model


SUBJECTS: dict[str, Train] = {"bare": bare, "mmengine": theirs, "tk": ours}


def block_times(model: nn.Module) -> list[float]:
    """CPU microseconds an iteration, of each block but the first two."""
    pairs = zip(model.stamps[2:], model.stamps[3:], strict=False)
    return [(end - begin) / BLOCK * 1e6 for begin, end in pairs]


def measure(
    subjects: Iterable[str], losses: int, interval: int, *, iterations: int = 500, repeats: int = 7
) -> dict[str, float]:
    """CPU microseconds an iteration, by subject, of runs in which the subjects take turns."""
    taken: dict[str, list[float]] = {name: [] for name in subjects}
    for repeat in range(repeats + 1):
        for name, blocks in taken.items():
            with quiet():
                found = block_times(SUBJECTS[name](iterations, losses, interval))
            if repeat:  # the first one fills caches
                blocks += found
    return {name: quartile(blocks) for name, blocks in taken.items()}


def quartile(blocks: Sequence[float]) -> float:
    """A quarter of the blocks are quicker."""
    return statistics.quantiles(blocks, n=4)[0]


@contextlib.contextmanager
def quiet():
    """Nothing is printed, and torch computes on one thread."""
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    with Path(os.devnull).open("w") as sink, contextlib.redirect_stdout(sink):
        yield


def show_over_bare(found: Mapping[str, float]) -> None:
    """Print each subject's figure and what it has over the bare loop's."""
    for name, figure in found.items():
        print(f"  {name:<9} {figure:8.1f}  over bare {figure - found['bare']:8.1f}")


def verdict(value: float, goal: float, *, at_least: bool = False) -> str:
    """The goal, and whether ``value`` meets it."""
    is_met = value >= goal if at_least else value <= goal
    return f"goal {'>=' if at_least else '<='} {goal:g}: {'met' if is_met else 'MISSED'}"
