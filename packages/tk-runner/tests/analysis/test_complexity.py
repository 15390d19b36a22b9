"""The table of what a model costs."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

from tk_runner.analysis import get_model_complexity_info


def model() -> nn.Module:
    return nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.Flatten(), nn.Linear(8, 5))


def test_numbers_and_texts_are_given() -> None:
    info = get_model_complexity_info(model(), (1, 4, 4))

    assert (info["params"], info["flops"], info["activations"]) == (65, 2 * 4 * 9 + 40, 8 + 5)
    assert (info["params_str"], info["flops_str"], info["activations_str"]) == ("65", "112", "13")
    assert info["unsupported_ops"] == {"aten.relu": 1}


def test_the_table_has_a_line_for_each_module() -> None:
    info = get_model_complexity_info(model(), (1, 4, 4))

    assert info["out_table"].splitlines()[2:] == [
        "model   65          112    13",
        "  0     20          72     8",
        "  1     0           0      0",
        "  2     0           0      0",
        "  3     45          40     5",
    ]
    assert "(3): Linear(in_features=8" in info["out_arch"]
    assert info["out_arch"].endswith("# params: 45, flops: 40, activations: 5")


def test_what_is_not_wanted_is_not_made() -> None:
    info = get_model_complexity_info(model(), (1, 4, 4), show_table=False, show_arch=False)

    assert info["out_table"] == info["out_arch"] == ""


def test_several_inputs_are_given_as_shapes_or_as_they_are() -> None:
    bilinear = nn.Bilinear(3, 4, 2)

    by_shape = get_model_complexity_info(bilinear, ((3,), (4,)))
    by_input = get_model_complexity_info(bilinear, inputs=(torch.rand(1, 3), torch.rand(1, 4)))

    assert by_shape["params"] == by_input["params"] == 26
    assert by_shape["flops"] == by_input["flops"]


@pytest.mark.parametrize(
    "given", [{}, {"input_shape": (1, 4, 4), "inputs": torch.rand(1, 1, 4, 4)}]
)
def test_a_shape_and_an_input_exclude_each_other(given: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"either input_shape.* or inputs"):
        get_model_complexity_info(model(), **given)


@pytest.mark.parametrize("shape", [(), [1, 4, 4], (1.0, 4), ((1, 4), 4), "144"])
def test_what_is_no_shape_is_an_error(shape: Any) -> None:
    with pytest.raises(ValueError, match="input_shape must be a tuple of whole numbers"):
        get_model_complexity_info(model(), shape)
