"""Train two epochs with MMEngine itself, into the folder that is named; run as a program."""

from __future__ import annotations

import sys
from typing import Any

import torch
from mmengine.model import BaseModel
from mmengine.runner import Runner
from torch import nn
from torch.utils.data import Dataset


class Line(Dataset):  # type: ignore[type-arg]
    metainfo = {"classes": ("a", "b")}  # noqa: RUF012

    def __len__(self) -> int:
        return 16

    def __getitem__(self, index: int) -> tuple[torch.Tensor, torch.Tensor]:
        return torch.full((3,), index / 16), torch.tensor([index / 8])


class Model(BaseModel):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3, 1), nn.BatchNorm1d(1))

    def forward(self, x: torch.Tensor, y: torch.Tensor, mode: str = "tensor") -> Any:
        return {"loss": (self.net(x) - y).pow(2).mean()}


if __name__ == "__main__":
    torch.manual_seed(0)
    Runner(
        model=Model(),
        work_dir=sys.argv[1],
        train_dataloader={
            "dataset": Line(),
            "batch_size": 4,
            "collate_fn": {"type": "default_collate"},
            "sampler": {"type": "DefaultSampler", "shuffle": True},
        },
        train_cfg={"by_epoch": True, "max_epochs": 2},
        optim_wrapper={
            "type": "OptimWrapper",
            "optimizer": {"type": "SGD", "lr": 0.1, "momentum": 0.9},
        },
        param_scheduler=[
            {"type": "LinearLR", "start_factor": 0.5, "by_epoch": False, "begin": 0, "end": 4},
            {"type": "MultiStepLR", "milestones": [1], "by_epoch": True},
        ],
        custom_hooks=[{"type": "EMAHook"}],
        log_level="ERROR",
    ).train()
