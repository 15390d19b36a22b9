"""What two runs left behind, compared bit by bit; and the hook that stops one of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

from tk_runner import Hook, Runner

# What tells two runs apart that are otherwise the same: when, and how fast.
OF_THE_CLOCK = ("meta.time", "experiment_name", "/time", "/data_time")


class StopAfter(Hook):
    """Asks the run to stop after an iteration, as a signal would."""

    priority = "LOWEST"

    def __init__(self, iteration: int) -> None:
        self.iteration = iteration

    def after_train_iter(
        self, runner: Any, batch_idx: int, data_batch: Any = None, outputs: Any = None
    ) -> None:
        if runner.iter + 1 == self.iteration:
            runner.stop_requests.request(143)


def last_checkpoint(run: Runner) -> dict[str, Any]:
    folder = Path(run.work_dir)
    name = "epoch_3.pth" if run.train_loop.by_epoch else "iter_24.pth"
    return torch.load(folder / name, weights_only=True)


def records(run: Runner) -> list[Any]:
    """What the run wrote for the curves, without times."""
    path = Path(run.log_dir) / "vis_data" / "scalars.json"
    lines = path.read_text().splitlines() if path.exists() else []
    read = [json.loads(line) for line in lines]
    return [{k: v for k, v in record.items() if not k.endswith("time")} for record in read]


def differences(one: Any, other: Any) -> list[str]:
    """The names under which two checkpoints hold something else."""
    left, right = dict(leaves(one)), dict(leaves(other))
    names = [n for n in left.keys() | right.keys() if not any(part in n for part in OF_THE_CLOCK)]
    return sorted(
        n for n in names if n not in left or n not in right or not same(left[n], right[n])
    )


def leaves(tree: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(tree, dict):
        for key, value in tree.items():
            yield from leaves(value, f"{name}.{key}")
    elif isinstance(tree, (list, tuple)):
        for place, value in enumerate(tree):
            yield from leaves(value, f"{name}.{place}")
    else:
        yield name, tree


def same(one: Any, other: Any) -> bool:
    if isinstance(one, torch.Tensor):
        return one.dtype == other.dtype and torch.equal(one, other)
    return bool(one == other or (one != one and other != other))
