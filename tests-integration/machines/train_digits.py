"""A short training on handwritten digits; run by torchrun on each machine.

Arguments: the work folder, the batch size of a rank, seconds that a step takes at least.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import TensorDataset

from tk_dist import infer_launcher
from tk_runner import Hook, Runner

WORK_DIR, BATCH_SIZE, STEP_S = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
ITERATIONS = 12


class Digits(nn.Module):
    """One hidden layer; the loss comes back."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10))

    def forward(self, images: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        return nn.functional.cross_entropy(self.layers(images), labels)


class Slow(Hook):
    """Leaves time for a machine to be killed."""

    def after_train_iter(
        self, runner: Any, batch_idx: int, data_batch: Any = None, outputs: Any = None
    ) -> None:
        time.sleep(STEP_S)


torch.manual_seed(3)  # of the weights
digits = load_digits()
images = torch.tensor(digits.data[:256], dtype=torch.float32) / 16
dataset = TensorDataset(images, torch.tensor(digits.target[:256]))
runner = Runner(
    model=Digits(),
    work_dir=WORK_DIR,
    train_dataloader={
        "dataset": dataset,
        "batch_size": BATCH_SIZE,
        "sampler": {"type": "DefaultSampler", "shuffle": True},
        "collate_fn": {"type": "default_collate"},
    },
    train_cfg={"by_epoch": False, "max_iters": ITERATIONS},
    optim_wrapper={"optimizer": {"type": "SGD", "lr": 0.1, "momentum": 0.9}},
    default_hooks={"checkpoint": {"by_epoch": False, "interval": 2}},
    custom_hooks=[Slow()],
    randomness={"seed": 3},
    env_cfg={"dist_cfg": {"backend": "gloo"}},
    launcher=infer_launcher(),
    resume=True,
)
runner.train()
