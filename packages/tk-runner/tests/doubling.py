"""A run of a few batches: one weight learns to double numbers, through the real `Runner`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.data import Dataset, IterableDataset

from tk_evaluator import BaseMetric
from tk_runner import BaseModel, Hook, Runner


class Numbers(Dataset[Any]):
    """Sample i is i / 8, and twice of it to be learned."""

    def __init__(self, size: int = 8) -> None:
        self.size = size

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, index: int) -> dict[str, Tensor]:
        x = torch.tensor([index / 8])
        return {"x": x, "y": 2 * x}


class Stream(IterableDataset[Any]):
    """The numbers one after the other, of unknown length."""

    def __iter__(self) -> Iterator[Any]:
        return (Numbers()[index] for index in range(8))


class Doubler(BaseModel):
    """Predicts ``weight * x``.

    Args:
        num_losses: how many losses it reports.
        reports_loss: whether predictions bring the loss along.
        broken_from: train step (counted from 1) from which the loss is NaN.
    """

    def __init__(
        self, num_losses: int = 1, reports_loss: bool = False, broken_from: int | None = None
    ) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(1))
        self.register_buffer("seen", torch.zeros(1))
        self.num_losses = num_losses
        self.reports_loss = reports_loss
        self.broken_from = broken_from
        self.num_steps = 0
        self.was_training: list[bool] = []

    def forward(self, x: Tensor, y: Tensor, mode: str = "tensor") -> Any:  # type: ignore[override]
        found = self.weight * x
        loss = (found - y).square().mean()
        if mode != "loss":
            return [*found, {"loss": loss}] if self.reports_loss else list(found)
        self.num_steps += 1
        self.was_training.append(self.training)
        self.seen += 1
        if self.broken_from is not None and self.num_steps >= self.broken_from:
            loss = loss * float("nan")
        others = {f"loss_{n}": loss * 0 for n in range(1, self.num_losses)}
        return {"loss_fit" if others else "loss": loss, **others}


class Scripted(BaseMetric):
    """Reports the next values of a script at each validation.

    Args:
        script: results of the first validation, of the second, ...
    """

    def __init__(
        self, script: Sequence[Mapping[str, Any]], prefix: str | None = None, **more: Any
    ) -> None:
        super().__init__(prefix=prefix, **more)
        self.script = list(script)

    def process(self, data_batch: Any, data_samples: Any) -> None:
        self.results.extend([0] * len(data_samples))

    def compute_metrics(self, results: list[Any]) -> dict[str, Any]:
        return dict(self.script.pop(0) if len(self.script) > 1 else self.script[0])


class Recorder(Hook):
    """Writes down every point that is met."""

    def __init__(self) -> None:
        self.met: list[str] = []

    def before_run(self, runner: Any) -> None:
        self.met.append("before_run")


def scripted(name: str, *values: float) -> Scripted:
    """A metric that reports ``name`` with these values, one a validation."""
    return Scripted([{name: value} for value in values])


def loader(size: int = 8, batch_size: int = 2, **more: Any) -> dict[str, Any]:
    """The config of a loader over `Numbers`, in order unless told otherwise."""
    return {
        "dataset": Numbers(size),
        "batch_size": batch_size,
        "sampler": {"type": "DefaultSampler", "shuffle": False},
        "collate_fn": {"type": "default_collate"},
        **more,
    }


def toy_runner(
    work_dir: str,
    *,
    epochs: int | None = 2,
    iters: int | None = None,
    train: Any = None,
    plan: Mapping[str, Any] | None = None,
    val: Any = None,
    hooks: Sequence[Any] = (),
    model: Any = None,
    lr: float = 0.1,
    **settings: Any,
) -> Runner:
    """A runner over `Doubler`: 4 batches an epoch, and 4 in a validation.

    Args:
        work_dir: folder of the run.
        epochs: length of the training; or
        iters: its length in iterations; neither makes a run that only evaluates.
        train: the train loader.
        plan: further entries of ``train_cfg``.
        val: metrics of the validation; None for no validation.
        hooks: custom hooks.
        model: another model.
        lr: of SGD.
        **settings: of `Runner`.
    """
    if iters is not None:
        settings["train_cfg"] = {"by_epoch": False, "max_iters": iters, **(plan or {})}
    elif epochs is not None:
        settings["train_cfg"] = {"max_epochs": epochs, **(plan or {})}
    if "train_cfg" in settings:
        settings["train_dataloader"] = loader() if train is None else train
        settings.setdefault("optim_wrapper", {"optimizer": {"type": "SGD", "lr": lr}})
    if val is not None:
        settings.setdefault("val_dataloader", loader())
        settings["val_evaluator"] = val
    settings.setdefault("randomness", {"seed": 1})
    return Runner(
        model=model if model is not None else Doubler(),
        work_dir=work_dir,
        custom_hooks=list(hooks),
        **settings,
    )


def weight(runner: Runner) -> float:
    """What the model has learned."""
    return float(runner.model.weight.detach())


def records(runner: Runner) -> list[dict[str, Any]]:
    """The lines of ``scalars.json``."""
    text = (Path(runner.log_dir) / "vis_data" / "scalars.json").read_text()
    return [json.loads(line) for line in text.splitlines()]


def log_lines(runner: Runner, part: str = "(train)") -> list[str]:
    """The messages of the run's log file that hold ``part``."""
    text = (Path(runner.log_dir) / f"{runner.timestamp}.log").read_text()
    return [line.split(" - INFO - ")[-1] for line in text.splitlines() if part in line]


def files(folder: Any) -> list[str]:
    """The names of the checkpoints in a folder."""
    return sorted(path.name for path in Path(folder).glob("*.pth"))
