"""A training of milliseconds, by name: what the configs of these tests import."""

from __future__ import annotations

import os
import signal
import time

import torch
from torch import nn
from torch.utils.data import Dataset

from tk_evaluator import BaseMetric
from tk_registry import DATASETS, HOOKS, METRICS, MODELS
from tk_runner import BaseModel, Hook


@DATASETS.register_module()
class ToyData(Dataset):
    def __init__(self, length: int = 16, width: int = 4, delay_s: float = 0.0) -> None:
        self.length, self.width, self.delay_s = length, width, delay_s

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, index: int):
        time.sleep(self.delay_s)
        generator = torch.Generator().manual_seed(index)
        x = torch.randn(self.width, generator=generator)
        return x, x.sum()


@MODELS.register_module()
class ToyModel(BaseModel):
    def __init__(self, width: int = 4, weights: int = 1) -> None:
        super().__init__()
        self.linear = nn.Linear(width, 1)
        self.register_buffer("ballast", torch.zeros(weights))

    def forward(self, x, y, mode: str = "loss"):
        out = self.linear(x).squeeze(-1)
        if mode == "loss":
            return {"loss": ((out - y) ** 2).mean()}
        return list(zip(out, y, strict=True))


@METRICS.register_module()
class ToyMetric(BaseMetric):
    default_prefix = "toy"

    def process(self, data_batch, data_samples) -> None:
        self.results += [float((a - b).abs()) for a, b in data_samples]

    def compute_metrics(self, results):
        return {"error": sum(results) / len(results)}


@METRICS.register_module()
class RaisingMetric(ToyMetric):
    def compute_metrics(self, results):
        raise ZeroDivisionError("no sample was right")


@HOOKS.register_module()
class SendSignal(Hook):
    """Sends this process a signal in the middle of an iteration, once."""

    def __init__(self, at: int, number: int = signal.SIGTERM) -> None:
        self.at, self.number = at, number

    def before_train_iter(self, runner, batch_idx, data_batch=None) -> None:
        if runner.iter + 1 == self.at:
            os.kill(os.getpid(), self.number)


@HOOKS.register_module()
class MakeStopFile(Hook):
    def before_train_iter(self, runner, batch_idx, data_batch=None) -> None:
        if runner.iter == 2:
            with open(os.path.join(runner.work_dir, "STOP"), "w"):
                pass
