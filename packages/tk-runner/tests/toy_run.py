"""A training that takes milliseconds: 24 rows, a linear model, quiet logs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from tk_evaluator import BaseMetric
from tk_runner import BaseModel, Runner

NUM_ROWS = 24
BATCH_SIZE = 4  # six iterations an epoch


class Toy(BaseModel):
    """Tells whether the sum of a row is positive."""

    def __init__(self) -> None:
        super().__init__()
        self.net = nn.Linear(3, 2)

    def forward(self, rows: Tensor, signs: Tensor, mode: str = "tensor") -> Any:
        scores = self.net(rows)
        if mode == "loss":
            return {"loss": nn.functional.cross_entropy(scores, signs)}
        return [{"right": bool(good)} for good in scores.argmax(1) == signs]


class Share(BaseMetric):
    """The share of right answers."""

    default_prefix = "toy"
    greater_is_better = True

    def process(self, data_batch: Any, data_samples: Any) -> None:
        self.results += [sample["right"] for sample in data_samples]

    def compute_metrics(self, results: list[bool]) -> dict[str, float]:
        return {"share": sum(results) / len(results)}


def toy_data() -> TensorDataset:
    rows = torch.randn(NUM_ROWS, 3, generator=torch.Generator().manual_seed(0))
    return TensorDataset(rows, (rows.sum(1) > 0).long())


def toy_arguments(work_dir: Path, **changes: Any) -> dict[str, Any]:
    """The arguments of a run that trains and validates; ``changes`` replace some, None drops."""
    torch.manual_seed(0)  # the model is made before the run can seed anything
    loader = DataLoader(toy_data(), batch_size=BATCH_SIZE)
    arguments = {
        "model": Toy(),
        "work_dir": work_dir,
        "train_dataloader": DataLoader(toy_data(), batch_size=BATCH_SIZE, shuffle=True),
        "train_cfg": {"by_epoch": True, "max_epochs": 2},
        "optim_wrapper": {"optimizer": {"type": "SGD", "lr": 0.1, "momentum": 0.9}},
        "val_dataloader": loader,
        "val_evaluator": {"type": Share},
        "randomness": {"seed": 0},
        "log_level": "ERROR",
    }
    arguments.update(changes)
    return {name: value for name, value in arguments.items() if value is not None}


def toy_run(work_dir: Path, **changes: Any) -> Runner:
    return Runner(**toy_arguments(work_dir, **changes))


NOT_VALIDATING: dict[str, Any] = {"val_dataloader": None, "val_evaluator": None}
