from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from torch import nn

from tk_runner import model as m
from tk_runner.model import InitializationError, ModelSettingsError, ModelTypeError


def test_the_bias_of_a_probability_gives_it_back() -> None:
    assert m.bias_init_with_prob(0.01) == pytest.approx(-math.log(0.99 / 0.01))
    with pytest.raises(ModelSettingsError, match="between 0 and 1"):
        m.bias_init_with_prob(1.5)


def test_a_weight_without_inputs_and_outputs_is_refused_by_name() -> None:
    with pytest.raises(InitializationError, match=r"BatchNorm2d has shape \(4,\).*layer="):
        m.XavierInit()(nn.Sequential(nn.BatchNorm2d(4)))


def test_a_lazy_layer_asks_for_a_batch() -> None:
    with pytest.raises(InitializationError, match="no shape yet; run one batch"):
        m.constant_init(nn.LazyLinear(3), 1)


def test_an_empty_weight_and_a_meta_weight_are_no_problem() -> None:
    empty = nn.Linear(2, 3)
    empty.weight = nn.Parameter(torch.empty(0, 2))
    m.kaiming_init(empty)
    with torch.device("meta"):
        layer = nn.Linear(2, 3)
    m.kaiming_init(layer)

    assert layer.weight.is_meta


def test_base_classes_match_and_no_name_matches_all() -> None:
    model = nn.Sequential(nn.Conv1d(1, 1, 1), nn.BatchNorm1d(1), nn.Linear(1, 1))

    m.ConstantInit(val=7, layer=["_ConvNd", "_BatchNorm"])(model)
    assert [float(one.weight.detach().mean()) == 7 for one in model] == [True, True, False]

    m.ConstantInit(val=8)(model)
    assert [float(one.weight.detach().mean()) for one in model] == [8, 8, 8]


def test_the_bias_of_a_probability_wins_over_a_bias() -> None:
    layer = nn.Linear(1, 1)

    m.ConstantInit(val=0, bias=3, bias_prob=0.5)(layer)

    assert float(layer.bias.detach()) == 0


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"bias": "1"}, "bias must be a number"),
        ({"bias_prob": "0.1"}, "bias_prob must be a float"),
        ({"layer": 3}, "layer must be the name of a class"),
    ],
)
def test_an_argument_of_another_kind_is_refused(arguments: Any, text: str) -> None:
    with pytest.raises(ModelTypeError, match=text):
        m.NormalInit(**arguments)


def test_an_initializer_says_what_it_does() -> None:
    assert repr(m.ConstantInit(val=1, bias=2, layer="Conv2d")) == "ConstantInit(bias=2.0, val=1)"


def test_an_initializer_of_a_user_may_define_one_layer() -> None:
    class Ones(m.BaseInit):
        def init_layer(self, module: nn.Module) -> None:
            m.constant_init(module, 1, self.bias)

    layer = nn.Linear(2, 2)
    Ones(bias=4)(layer)

    assert float(layer.weight.detach().sum()) == 4
    with pytest.raises(NotImplementedError, match="must define init_layer"):
        m.BaseInit()(layer)
