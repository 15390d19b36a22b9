"""A small training with everything in it that a resumed run could get wrong."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset

from tk_evaluator import BaseMetric
from tk_runner import BaseModel, Runner

torch.set_num_threads(1)  # forked ranks must not meet a pool of threads

NUM_SAMPLES, BATCH_SIZE, NUM_ITERS = 64, 8, 24


class Points(Dataset):
    """Points in eight dimensions, and whether their sum is positive.

    Args:
        is_random: add noise from each of the three random generators.
        size: how many points there are.
    """

    def __init__(self, is_random: bool = False, size: int = NUM_SAMPLES) -> None:
        self.points = torch.randn(size, 8, generator=torch.Generator().manual_seed(7))
        self.is_random = is_random  # tells the loader to seed each sample

    def __len__(self) -> int:
        return len(self.points)

    def __getitem__(self, index: int) -> tuple[Tensor, int]:
        point = self.points[index]
        label = int(point.sum() > 0)
        if self.is_random:
            point = point + 0.1 * torch.randn(8) + 0.1 * random.random() + 0.1 * np.random.rand()
            point = point.float()
        return point, label


class Classifier(BaseModel):
    """Two layers with dropout; ``num_losses`` losses, of which the first one counts."""

    def __init__(self, num_losses: int = 1, norm: bool = False) -> None:
        super().__init__()
        layer = nn.BatchNorm1d(16) if norm else nn.Identity()
        drop = nn.Dropout(0.2)
        self.net = nn.Sequential(nn.Linear(8, 16), layer, drop, nn.ReLU(), nn.Linear(16, 2))
        self.num_losses = num_losses

    def forward(self, points: Tensor, labels: Tensor, mode: str = "tensor") -> Any:
        scores = self.net(points)
        if mode == "loss":
            loss = nn.functional.cross_entropy(scores, labels)
            others = {f"part_{n}": loss.detach() * n for n in range(1, self.num_losses)}
            return {"loss": loss, **others}
        return [
            {"score": score, "label": label} for score, label in zip(scores, labels, strict=True)
        ]


class MeanScore(BaseMetric):
    """Two numbers that depend on every sample, and the second one on their order as well."""

    default_prefix = "toy"

    def process(self, data_batch: Any, data_samples: Any) -> None:
        for one in data_samples:
            hit = int(one["score"].argmax()) == int(one["label"])
            self.results.append((hit, float(one["score"].double().sum())))

    def compute_metrics(self, results: list[Any]) -> dict[str, Any]:
        ordered = 0.0
        for place, (_, total) in enumerate(results):
            ordered += place * total
        return {
            "accuracy": sum(hit for hit, _ in results) / len(results),
            "ordered": ordered,
            "count": len(results),
        }


def loader(*, is_random: bool = False, is_shuffled: bool = False, **options: Any) -> DataLoader:
    """Batches of the points."""
    options = {"batch_size": BATCH_SIZE, "shuffle": is_shuffled, **options}
    return DataLoader(Points(is_random), **options)


def runner(
    work_dir: Path, *, num_workers: int = 0, by_epoch: bool = True, **changes: Any
) -> Runner:
    """A run of 24 iterations: three epochs, or the same by iteration.

    Args:
        work_dir: of the run.
        num_workers: of the train loader.
        by_epoch: which loop.
        **changes: further arguments of the Runner, in place of those here.
    """
    length = (
        {"by_epoch": True, "max_epochs": 3} if by_epoch else {"by_epoch": False, "max_iters": 24}
    )
    checkpoint = {"type": "CheckpointHook", "by_epoch": by_epoch, "interval": 1 if by_epoch else 5}
    settings: dict[str, Any] = {
        "model": Classifier(),
        "work_dir": str(work_dir),
        "train_dataloader": loader(is_random=True, is_shuffled=True, num_workers=num_workers),
        "train_cfg": {**length, "val_interval": 1 if by_epoch else 7},
        "val_dataloader": loader(),
        "val_evaluator": MeanScore(),
        "optim_wrapper": {
            "optimizer": {"type": "SGD", "lr": 0.1, "momentum": 0.9},
            "clip_grad": {"max_norm": 1.0},
            "accumulative_counts": 3,
        },
        "param_scheduler": [
            {"type": "LinearLR", "start_factor": 0.1, "end": 6, "by_epoch": False},
            {"type": "CosineAnnealingLR", "begin": 6, "end": NUM_ITERS, "by_epoch": False},
        ],
        "default_hooks": {
            "checkpoint": {**checkpoint, "save_best": "toy/accuracy"},
            "logger": {"type": "LoggerHook", "interval": 4},
        },
        "custom_hooks": [{"type": "EMAHook"}],
        "log_processor": {"by_epoch": by_epoch},
        "log_level": "ERROR",
        "randomness": {"seed": 0},
    }
    return Runner(**{**settings, **changes})
