from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from toy_run import Toy, toy_arguments, toy_run

from tk_evaluator import Accuracy
from tk_registry import MODELS
from tk_runner import InvalidSettingsError, Runner
from tk_runner.building.model import build_model
from tk_runner.model import ModelWithLoss, PlainModel


@MODELS.register_module(force=True)
class PlainClassifier(nn.Module):
    """A network of somebody who never heard of runners."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.layers = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2))

    def forward(self, x: torch.Tensor) -> Any:
        return self.layers(x)


def test_a_model_is_put_behind_what_it_lacks() -> None:
    toy = Toy()

    assert build_model(toy) is toy
    assert type(build_model(PlainClassifier())) is PlainModel
    assert type(build_model(PlainClassifier(), loss=nn.CrossEntropyLoss())) is ModelWithLoss
    with pytest.raises(TypeError, match="a module or the config of one, got str"):
        build_model("resnet")


def test_a_plain_classifier_and_a_loss_make_a_run(tmp_path: Path) -> None:
    with toy_run(
        tmp_path, model=PlainClassifier(), loss=nn.CrossEntropyLoss(), val_evaluator=Accuracy(),
        train_cfg={"max_epochs": 12},
    ) as run:  # fmt: skip
        run.train()

        assert run.val()["accuracy/top1"] > 0.9


def test_the_same_by_config(tmp_path: Path) -> None:
    cfg = toy_arguments(
        tmp_path,
        model={"type": "PlainClassifier"},
        loss={"type": "torch.nn.CrossEntropyLoss"},
        val_evaluator={"type": "Accuracy"},
    )
    with Runner.from_cfg(cfg) as run:
        run.train()

        assert set(run.val()) == {"accuracy/top1", "loss", "val_loss"}


def test_a_loss_for_a_model_that_has_its_own_is_refused() -> None:
    with pytest.raises(InvalidSettingsError, match=r"Toy computes its own loss.*remove one"):
        build_model(Toy(), loss=nn.CrossEntropyLoss())
