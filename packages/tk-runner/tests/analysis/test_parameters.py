"""Counting parameters."""

from __future__ import annotations

from torch import nn

from tk_runner.analysis import parameter_count, parameter_count_table


def small() -> nn.Module:
    return nn.Sequential(nn.Linear(4, 3), nn.Sequential(nn.Linear(3, 2, bias=False), nn.ReLU()))


def test_every_module_has_the_sum_of_what_is_inside_it() -> None:
    counts = parameter_count(small())

    assert counts == {
        "": 21, "0": 15, "0.weight": 12, "0.bias": 3, "1": 6, "1.0": 6, "1.0.weight": 6
    }  # fmt: skip


def test_a_name_that_does_not_exist_has_no_parameters() -> None:
    assert parameter_count(small())["head"] == 0


def test_a_shared_parameter_counts_once() -> None:
    model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4))
    model[1].weight = model[0].weight

    assert parameter_count(model)[""] == 16 + 4 + 4


def test_the_table_shows_counts_of_modules_and_shapes_of_parameters() -> None:
    table = parameter_count_table(small(), max_depth=2)

    assert table.splitlines()[2:] == [
        "model         21",
        "  0             15",
        "    0.weight      (3, 4)",
        "    0.bias        (3,)",
        "  1             6",
        "    1.0           6",
    ]
