"""The training whose checkpoint lies beside this file; it must not change any more.

Everything that a checkpoint can hold is in it: dropout, batch norm, an average of
the weights, two schedules, gradients of an unfinished accumulation group, a best
checkpoint, histories of scalars, and a place inside of the third epoch.

``python digits_like.py stop FOLDER`` trains until the stop, ``python digits_like.py
resume CHECKPOINT FOLDER`` prints what the rest of the training gives as JSON.
"""

from __future__ import annotations

import json
import signal
import sys
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from tk_evaluator import BaseMetric
from tk_runner import BaseModel, Hook, Runner

STOP_AFTER = 14  # iterations; 6 an epoch, 3 an accumulation group


class Digits(BaseModel):
    """A small network that notes its losses."""

    def __init__(self) -> None:
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(16, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(0.3), nn.Linear(8, 4)
        )
        self.losses: list[float] = []

    def forward(self, images: Tensor, labels: Tensor, mode: str = "tensor") -> Any:
        scores = self.net(images)
        if mode == "loss":
            loss = nn.functional.cross_entropy(scores, labels)
            self.losses.append(loss.item())
            return {"loss": loss}
        return [{"is_right": bool(right)} for right in scores.argmax(1) == labels]


class Accuracy(BaseMetric):
    """The share of right answers."""

    def process(self, data_batch: Any, data_samples: Any) -> None:
        self.results += [sample["is_right"] for sample in data_samples]

    def compute_metrics(self, results: list[bool]) -> dict[str, float]:
        return {"accuracy": sum(results) / len(results)}


class AskToStop(Hook):
    """Asks for a stop as a scheduler does, by a signal."""

    def after_train_iter(self, runner: Any, batch_idx: int, *_: Any, **__: Any) -> None:
        if runner.iter + 1 == STOP_AFTER:
            signal.raise_signal(signal.SIGTERM)


class NoteRates(Hook):
    """Notes the learning rate of every iteration."""

    def __init__(self) -> None:
        self.rates: list[float] = []

    def before_train_iter(self, runner: Any, batch_idx: int, *_: Any, **__: Any) -> None:
        self.rates.append(runner.optim_wrapper.param_groups[0]["lr"])


def digits_like(seed: int) -> TensorDataset:
    generator = torch.Generator().manual_seed(seed)
    images = torch.rand(24, 16, generator=generator)
    return TensorDataset(images, images.reshape(24, 4, 4).sum(2).argmax(1))


def runner_in(folder: str | Path, **changes: Any) -> Runner:
    torch.manual_seed(0)
    settings: dict[str, Any] = {
        "model": Digits(),
        "work_dir": str(folder),
        "train_dataloader": DataLoader(digits_like(1), batch_size=4, shuffle=True),
        "train_cfg": {"by_epoch": True, "max_epochs": 4},
        "val_dataloader": DataLoader(digits_like(2), batch_size=8),
        "val_evaluator": Accuracy(),
        "optim_wrapper": {
            "optimizer": {"type": "AdamW", "lr": 0.02},
            "accumulative_counts": 3,
            "clip_grad": {"max_norm": 1.0},
        },
        "param_scheduler": [
            {"type": "LinearLR", "start_factor": 0.1, "by_epoch": False, "end": 5},
            {"type": "CosineAnnealingLR", "by_epoch": True, "convert_to_iter_based": True},
        ],
        "default_hooks": {"checkpoint": {"save_best": "auto", "max_keep_ckpts": 1, "interval": 1}},
        "randomness": {"seed": 3},
        "log_level": "ERROR",
    }
    settings.update(changes)
    ema = {"type": "EMAHook", "momentum": 0.1}
    settings["custom_hooks"] = [ema, *settings.get("custom_hooks", [])]
    return Runner(**settings)


def rest_of(checkpoint: str | Path, folder: str | Path) -> dict[str, Any]:
    """What the training gives from the checkpoint to its end."""
    rates = NoteRates()
    runner = runner_in(folder, resume=str(checkpoint), custom_hooks=[rates])
    model: Any = runner.train()
    given = {
        "losses": model.losses,
        "rates": rates.rates,
        "val_accuracy": runner.message_hub.get_scalar("val/accuracy").data[0].tolist(),
        "train_loss": runner.message_hub.get_scalar("train/loss").data[0].tolist(),
        "weights": {name: one.double().sum().item() for name, one in model.state_dict().items()},
        "epoch_and_iter": [runner.epoch, runner.iter],
    }
    runner.close()
    return given


if __name__ == "__main__":
    if sys.argv[1] == "stop":
        runner_in(sys.argv[2], custom_hooks=[AskToStop()]).train()
    else:
        print(json.dumps(rest_of(*sys.argv[2:]), indent=1))
