from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

from tk_optim import OptimWrapper
from tk_runner.model import BaseModel, ModelTypeError
from tk_runner.model.steps import call_with, run_train_step


def told(*args: Any, **kwargs: Any) -> Any:
    return args, kwargs


def test_a_batch_is_handed_over_by_name_or_by_position() -> None:
    assert call_with(told, {"x": 1}, "loss") == ((), {"x": 1, "mode": "loss"})
    assert call_with(told, [1, 2], "loss") == ((1, 2), {"mode": "loss"})
    with pytest.raises(ModelTypeError, match=r"a dict, a list or a tuple for .*, got int"):
        call_with(told, 3, "loss")


class Line(BaseModel):
    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(1))

    def forward(self, x: torch.Tensor, mode: str = "tensor") -> Any:
        return {"loss": (self.weight * x).sum()}


def step(model: Line, losses_of: Any, **more: Any) -> dict[str, torch.Tensor]:
    wrapper = OptimWrapper(torch.optim.SGD(model.parameters(), lr=0.1))
    return run_train_step(
        model, [torch.ones(2)], wrapper, context=model, losses_of=losses_of, **more
    )


def test_a_step_descends_the_total_which_is_shown_before() -> None:
    model, shown = Line(), []
    logged = step(
        model, lambda batch: model(*batch), watch=lambda total: shown.append(total.item())
    )

    assert model.weight.item() == pytest.approx(1 - 0.1 * 2)
    assert shown == [2.0]
    assert logged["loss"].item() == 2.0


def test_a_loss_without_a_gradient_is_refused() -> None:
    model = Line()

    with pytest.raises(ModelTypeError, match="the loss has no gradient"):
        step(model, lambda batch: {"loss": model(*batch)["loss"].detach()})
    assert model.weight.item() == 1
