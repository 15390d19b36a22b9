"""The formulas of single operators, each against a count by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional

from tk_runner.analysis import ActivationAnalyzer, FlopAnalyzer


class Calls(nn.Module):
    """A module that calls one function."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *inputs: Any) -> Any:
        return self.function(*inputs)


def flops(model: nn.Module, *shapes: tuple[int, ...]) -> int:
    return FlopAnalyzer(model, tuple(torch.rand(shape) for shape in shapes)).total()


CASES: dict[str, tuple[nn.Module, list[tuple[int, ...]], int]] = {
    "linear": (nn.Linear(5, 7), [(3, 5)], 3 * 5 * 7),
    "linear without bias": (nn.Linear(5, 7, bias=False), [(2, 3, 5)], 2 * 3 * 5 * 7),
    "convolution": (nn.Conv2d(3, 8, 5, padding=2), [(2, 3, 6, 6)], 2 * 8 * 36 * 3 * 25),
    "strided": (nn.Conv2d(3, 8, 3, stride=2), [(1, 3, 7, 7)], 8 * 9 * 3 * 9),
    "grouped": (nn.Conv2d(4, 8, 3, groups=4, padding=1), [(1, 4, 6, 6)], 8 * 36 * 1 * 9),
    "transposed": (nn.ConvTranspose2d(4, 2, 3), [(1, 4, 5, 5)], 4 * 25 * 2 * 9),
    "one dimension": (nn.Conv1d(3, 4, 3), [(1, 3, 10)], 4 * 8 * 3 * 3),
    "matmul": (Calls(torch.matmul), [(2, 3, 4), (2, 4, 5)], 2 * 3 * 4 * 5),
    "einsum": (Calls(lambda a, b: torch.einsum("ij,jk->ik", a, b)), [(3, 4), (4, 5)], 60),
    "attention": (
        Calls(functional.scaled_dot_product_attention),
        [(2, 4, 6, 8), (2, 4, 5, 8), (2, 4, 5, 8)],
        2 * (2 * 4 * 6 * 5 * 8),
    ),
    "batch norm in training": (nn.BatchNorm2d(3), [(2, 3, 4, 4)], 96 * 5),
    "batch norm in evaluation": (nn.BatchNorm2d(3).eval(), [(2, 3, 4, 4)], 96 * 2),
    "layer norm": (nn.LayerNorm(8), [(2, 3, 8)], 48 * 5),
    "layer norm without scale": (nn.LayerNorm(8, elementwise_affine=False), [(2, 8)], 16 * 4),
    "group norm": (nn.GroupNorm(2, 4), [(1, 4, 3, 3)], 36 * 5),
    "nearest": (nn.Upsample(scale_factor=2), [(1, 2, 3, 3)], 72),
    "bilinear": (nn.Upsample(scale_factor=2, mode="bilinear"), [(1, 2, 3, 3)], 72 * 4),
    "average over the image": (nn.AdaptiveAvgPool2d(1), [(1, 2, 3, 3)], 18),
    "average to a grid": (nn.AdaptiveAvgPool2d(2), [(1, 2, 4, 4)], 32),
    "relu": (nn.ReLU(), [(2, 3)], 0),
}


@pytest.mark.parametrize(("model", "shapes", "expected"), CASES.values(), ids=CASES)
def test_an_operator_costs_what_its_formula_says(
    model: nn.Module, shapes: list[tuple[int, ...]], expected: int
) -> None:
    assert flops(model, *shapes) == expected


@pytest.mark.parametrize("is_training", [True, False])
def test_a_layer_of_attention_costs_its_projections_and_its_products(is_training: bool) -> None:
    layer = nn.MultiheadAttention(16, 4, batch_first=True).train(is_training)
    model = Calls(lambda x: layer(x, x, x, need_weights=False)[0])
    projections = 4 * (2 * 5 * 16 * 16)
    products = 2 * (2 * 4 * 5 * 5 * 4)

    assert flops(model, (2, 5, 16)) == projections + products


def test_activations_are_what_products_put_out() -> None:
    model = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.ReLU(), nn.Flatten(), nn.Linear(36, 5))

    assert ActivationAnalyzer(model, torch.rand(1, 1, 3, 3)).total() == 4 * 9 + 5
