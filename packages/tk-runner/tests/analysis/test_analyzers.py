"""Counts by module and operator."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor, nn

from tk_runner.analysis import ActivationAnalyzer, FlopAnalyzer, activation_count, flop_count


class Shared(nn.Module):
    """Calls one layer twice, through two names; has one that it never calls."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(4, 4)
        self.second = self.first
        self.unused = nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        return self.second(self.first(x)) @ torch.ones(4, 2)


class Nested(nn.Module):
    """Takes a dict, and decides by the data."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2))

    def forward(self, batch: dict[str, Any], twice: bool) -> Tensor:
        out: Tensor = self.body(batch["x"])
        if twice and batch["x"].sum() > 0:
            out = out + self.body(batch["x"])
        return out


def test_a_module_counts_what_is_inside_it() -> None:
    analyzer = FlopAnalyzer(Nested(), ({"x": torch.ones(3, 4)}, False))

    assert analyzer.by_module() == {
        "": 144, "body": 144, "body.0": 96, "body.1": 0, "body.2": 48
    }  # fmt: skip
    assert analyzer.by_operator("body.0") == {"aten.addmm": 96}
    assert analyzer.by_module_and_operator()["body.2"] == {"aten.addmm": 48}


def test_what_the_data_decides_is_counted_as_it_happened() -> None:
    assert FlopAnalyzer(Nested(), ({"x": torch.ones(3, 4)}, True)).total() == 2 * 144
    assert FlopAnalyzer(Nested(), ({"x": -torch.ones(3, 4)}, True)).total() == 144


def test_a_layer_with_two_names_counts_each_call_under_its_first() -> None:
    analyzer = FlopAnalyzer(Shared(), torch.rand(1, 4))

    assert analyzer.total() == 2 * 16 + 8
    assert analyzer.total("first") == analyzer.total("second") == 32
    assert analyzer.canonical_module_name("second") == "first"


def test_modules_that_were_not_called_are_named() -> None:
    assert FlopAnalyzer(Shared(), torch.rand(1, 4)).uncalled_modules() == {"unused"}


def test_an_unknown_module_is_an_error() -> None:
    with pytest.raises(KeyError, match="Shared has no module called 'head'"):
        FlopAnalyzer(Shared(), torch.rand(1, 4)).total("head")


def test_operators_without_a_formula_are_listed() -> None:
    analyzer = FlopAnalyzer(Nested(), ({"x": torch.ones(3, 4)}, False))

    assert analyzer.unsupported_ops() == {"aten.tanh": 1}
    assert analyzer.unsupported_ops("body.0") == {}


def test_a_formula_of_ones_own_is_used_and_none_leaves_out() -> None:
    analyzer = FlopAnalyzer(Nested(), ({"x": torch.ones(3, 4)}, False))

    analyzer.set_op_handle(
        "aten.tanh", lambda arguments, output: output.numel(), "aten.addmm", None
    )

    assert analyzer.by_operator() == {"aten.tanh": 24}
    assert analyzer.clear_op_handles().total() == 0


def test_names_of_the_tracer_are_understood_with_a_warning() -> None:
    analyzer = FlopAnalyzer(nn.ReLU(), torch.rand(3))

    with pytest.warns(DeprecationWarning, match=r"'aten\.relu' instead of 'aten::relu'"):
        analyzer.set_op_handle("aten::relu", lambda arguments, output: 5)

    assert analyzer.total() == 5


def test_a_name_without_a_formula_is_an_error() -> None:
    with pytest.raises(TypeError, match="pairs of an operator's name and a formula"):
        FlopAnalyzer(nn.ReLU(), torch.rand(3)).set_op_handle("aten.relu")


def test_a_copy_keeps_the_formulas_and_takes_other_inputs() -> None:
    analyzer = FlopAnalyzer(nn.ReLU(), torch.rand(3)).set_op_handle(
        relu=lambda args, out: out.numel()
    )

    assert analyzer.copy(new_inputs=torch.rand(7)).total() == 7
    assert analyzer.total() == 3


def test_the_meta_device_gives_the_same_count_without_computing() -> None:
    inputs = torch.rand(2, 3, 8, 8)
    model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU())

    on_meta = FlopAnalyzer(model.to("meta"), inputs.to("meta")).total()

    assert on_meta == FlopAnalyzer(model.to_empty(device="cpu"), inputs).total() > 0


def test_a_failing_model_is_left_without_hooks() -> None:
    model = nn.Sequential(nn.Linear(4, 4), nn.Linear(3, 3))

    with pytest.raises(RuntimeError, match="shapes cannot be multiplied"):
        FlopAnalyzer(model, torch.rand(1, 4)).total()

    assert not model[0]._forward_pre_hooks
    assert not model[1]._forward_hooks


def test_the_functions_give_billions_and_millions() -> None:
    model, inputs = nn.Linear(1000, 1000), torch.rand(2, 1000)

    assert flop_count(model, (inputs,)) == ({"aten.addmm": 0.002}, {})
    assert activation_count(model, (inputs,)) == ({"aten.addmm": 0.002}, {})
    assert ActivationAnalyzer(model, inputs).total() == 2000
