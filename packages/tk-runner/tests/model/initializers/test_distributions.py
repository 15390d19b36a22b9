from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

from tk_registry import WEIGHT_INITIALIZERS
from tk_runner import model as m

TORCH_TWIN: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "constant": (lambda x: m.constant_init(x, 3, 2), lambda w: nn.init.constant_(w, 3)),
    "xavier normal": (
        lambda x: m.xavier_init(x, gain=2, bias=2),
        lambda w: nn.init.xavier_normal_(w, gain=2),
    ),
    "xavier uniform": (
        lambda x: m.xavier_init(x, bias=2, distribution="uniform"),
        nn.init.xavier_uniform_,
    ),
    "normal": (
        lambda x: m.normal_init(x, mean=1, std=3, bias=2),
        lambda w: nn.init.normal_(w, 1, 3),
    ),
    "trunc normal": (
        lambda x: m.trunc_normal_init(x, 0, 2, -1, 1, bias=2),
        lambda w: nn.init.trunc_normal_(w, 0, 2, -1, 1),
    ),
    "uniform": (lambda x: m.uniform_init(x, -1, 3, bias=2), lambda w: nn.init.uniform_(w, -1, 3)),
    "kaiming": (
        lambda x: m.kaiming_init(x, bias=2),
        lambda w: nn.init.kaiming_normal_(w, 0, "fan_out", "relu"),
    ),
    "kaiming uniform": (
        lambda x: m.kaiming_init(
            x, a=0.1, nonlinearity="leaky_relu", distribution="uniform", bias=2
        ),
        lambda w: nn.init.kaiming_uniform_(w, 0.1, "fan_out", "leaky_relu"),
    ),
    "caffe2 xavier": (
        lambda x: m.caffe2_xavier_init(x, bias=2),
        lambda w: nn.init.kaiming_uniform_(w, 1, "fan_in", "leaky_relu"),
    ),
}


@pytest.mark.parametrize("name", TORCH_TWIN)
def test_a_function_draws_what_torch_draws_and_fills_the_bias(name: str) -> None:
    ours, theirs = TORCH_TWIN[name]
    layer = nn.Conv2d(3, 8, 3)
    torch.manual_seed(0)
    ours(layer)
    torch.manual_seed(0)
    expected = theirs(torch.empty(8, 3, 3, 3))

    assert torch.equal(layer.weight.detach(), expected)
    assert torch.equal(layer.bias.detach(), torch.full((8,), 2.0))


@pytest.mark.parametrize("name", TORCH_TWIN)
def test_a_function_leaves_alone_what_has_no_weight_and_no_bias(name: str) -> None:
    ours, _ = TORCH_TWIN[name]
    layer = nn.Linear(2, 2, bias=False)

    ours(layer)
    ours(nn.ReLU())

    assert layer.bias is None


@pytest.mark.parametrize("function", [m.xavier_init, m.kaiming_init])
def test_an_unknown_distribution_is_named_with_the_nearest(function: Any) -> None:
    with pytest.raises(AssertionError, match=r"'student_t' is not supported; known: normal, uni"):
        function(nn.Linear(2, 2), distribution="student_t")


def test_trunc_normal_stays_within_its_bounds() -> None:
    layer = nn.Linear(100, 100)

    m.trunc_normal_init(layer, std=5, a=-1, b=1)

    assert layer.weight.abs().max() <= 1


@pytest.mark.parametrize(
    ("name", "kind", "arguments"),
    [
        ("Constant", m.ConstantInit, {"val": 1}),
        ("Xavier", m.XavierInit, {}),
        ("Normal", m.NormalInit, {}),
        ("TruncNormal", m.TruncNormalInit, {}),
        ("Uniform", m.UniformInit, {}),
        ("Kaiming", m.KaimingInit, {}),
        ("Caffe2Xavier", m.Caffe2XavierInit, {}),
        ("Pretrained", m.PretrainedInit, {"checkpoint": "x.pth"}),
    ],
)
def test_a_class_is_found_by_its_short_name(name: str, kind: type, arguments: Any) -> None:
    built = WEIGHT_INITIALIZERS.build({"type": name, **arguments})

    assert type(built) is kind


@pytest.mark.parametrize(
    "kind",
    [
        m.XavierInit, m.NormalInit, m.TruncNormalInit, m.UniformInit, m.KaimingInit,
        m.Caffe2XavierInit,
    ],
)  # fmt: skip
def test_a_class_initialises_the_layers_that_it_names(kind: Any) -> None:
    model = nn.Sequential(nn.Conv2d(2, 2, 1), nn.Linear(2, 2))
    before = model[1].weight.clone()

    kind(bias=5, layer="Conv2d")(model)

    assert torch.equal(model[0].bias.detach(), torch.full((2,), 5.0))
    assert torch.equal(model[1].weight, before)
