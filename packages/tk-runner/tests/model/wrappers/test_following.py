"""Ranks agree on what trains, also where that changes on the way."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from tk_dist import get_rank, launch
from tk_optim import OptimWrapper, OptimWrapperDict
from tk_runner.model import BaseModel, MMDistributedDataParallel, MMSeparateDistributedDataParallel


class Two(BaseModel):
    """Two weights, each of which has the mean of the batch as its gradient."""

    def __init__(self) -> None:
        super().__init__()
        self.stem, self.head = (nn.Linear(1, 1, bias=False) for _ in range(2))
        for part in (self.stem, self.head):
            nn.init.zeros_(part.weight)

    def forward(self, x: Any, data_samples: Any = None, mode: str = "tensor") -> Any:
        return {"loss": (self.stem(x) + self.head(x)).mean()}

    def weights(self) -> list[float]:
        return [param.item() for param in self.parameters()]


class TwoByThemselves(Two):
    """The same with an optimizer for each."""

    def train_step(self, data: Any, optim_wrapper: Any) -> dict[str, torch.Tensor]:
        for name, part in (("stem", self.stem), ("head", self.head)):
            if any(param.requires_grad for param in part.parameters()):
                optim_wrapper[name].update_params(part(data["x"]).mean())
        return {}


def sgd(module: nn.Module) -> OptimWrapper:
    return OptimWrapper(torch.optim.SGD(module.parameters(), lr=1.0))


def trained(parallel: Any, model: Two, optim_wrapper: Any) -> list[list[float]]:
    """The weights after each of four steps; the stem is frozen in two of them."""
    batch = torch.full((1, 1), float(get_rank() + 1))  # gradients 1 and 2, mean 1.5
    seen = []
    for stem_trains in (False, True, False, True):
        model.get_submodule("stem").requires_grad_(stem_trains)
        parallel.train_step({"x": batch}, optim_wrapper)
        seen.append(model.weights())
    return seen


def both_wrappers() -> list[Any]:
    whole, parts = Two(), TwoByThemselves()
    wrappers = OptimWrapperDict(stem=sgd(parts.stem), head=sgd(parts.head))
    parts.stem.requires_grad_(False)
    return [
        trained(MMDistributedDataParallel(whole), whole, sgd(whole)),
        trained(MMSeparateDistributedDataParallel(parts), parts, wrappers),
    ]


def test_what_is_frozen_and_released_is_trained_on_the_mean_of_the_ranks() -> None:
    expected = [[0.0, -1.5], [-1.5, -3.0], [-1.5, -4.5], [-3.0, -6.0]]

    assert launch(both_wrappers, 2) == [[expected, expected]] * 2


def accumulated_while_released() -> list[float]:
    model = Two()
    model.stem.requires_grad_(False)
    wrapper = OptimWrapper(torch.optim.SGD(model.parameters(), lr=1.0), accumulative_counts=2)
    parallel = MMDistributedDataParallel(model)
    for _ in range(2):
        parallel.train_step({"x": torch.full((1, 1), float(get_rank() + 1))}, wrapper)
        model.stem.requires_grad_(True)
    return model.weights()


def test_a_release_inside_an_accumulation_group_exchanges_at_its_end() -> None:
    assert launch(accumulated_while_released, 2) == [[-0.75, -1.5]] * 2


def untrained() -> Any:
    model = Two().requires_grad_(False)
    return MMDistributedDataParallel(model)(torch.ones(1, 1))["loss"].item()


def test_a_module_without_anything_to_train_is_called_as_it_is() -> None:
    assert launch(untrained, 2) == [0.0, 0.0]
