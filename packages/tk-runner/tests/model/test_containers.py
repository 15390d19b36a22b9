from __future__ import annotations

from collections import OrderedDict
from typing import Any

import pytest
import torch
from torch import nn

from tk_registry import MODELS
from tk_runner.model import BaseModule, ModuleDict, ModuleList, Sequential


class Layer(BaseModule):
    def __init__(self, init_cfg: Any = None) -> None:
        super().__init__(init_cfg)
        self.linear = nn.Linear(1, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        result: torch.Tensor = self.linear(x)
        return result


def constant(value: float) -> dict[str, Any]:
    return {"type": "Constant", "val": value, "layer": "Linear"}


@pytest.mark.parametrize(
    "make",
    [
        lambda a, b, cfg: Sequential(a, b, init_cfg=cfg),
        lambda a, b, cfg: Sequential(OrderedDict(a=a, b=b), init_cfg=cfg),
        lambda a, b, cfg: ModuleList([a, b], init_cfg=cfg),
        lambda a, b, cfg: ModuleDict({"a": a, "b": b}, init_cfg=cfg),
    ],
    ids=["Sequential", "named Sequential", "ModuleList", "ModuleDict"],
)
def test_children_win_over_the_container(make: Any) -> None:
    own, without = Layer(constant(2)), Layer()
    container = make(own, without, constant(1))

    container.init_weights()

    assert len(container) == 2
    assert float(own.linear.weight.detach()) == 2
    assert float(without.linear.weight.detach()) == 1


def test_they_are_the_containers_of_torch() -> None:
    layers = Sequential(Layer(), Layer(), init_cfg=constant(1))

    assert isinstance(layers, nn.Sequential)
    assert layers(torch.ones(1, 1)).shape == (1, 1)
    assert type(layers[:1]) is Sequential
    assert len(ModuleList()) == len(ModuleDict()) == len(Sequential()) == 0
    assert repr(ModuleList([nn.ReLU()], init_cfg=constant(1))).endswith(f"init_cfg={constant(1)}")


def test_a_list_of_model_configs_is_built_into_one() -> None:
    MODELS.register_module(name="LayerOfATest", module=Layer, force=True)

    built = MODELS.build([{"type": "LayerOfATest"}, {"type": "LayerOfATest"}])

    assert type(built) is Sequential
    assert len(built) == 2
