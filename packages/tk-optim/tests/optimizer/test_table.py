"""Which parameter got which options."""

from __future__ import annotations

from torch import nn

from tk_optim import build_optim_wrapper, param_table


def test_a_line_for_each_parameter() -> None:
    model = nn.ModuleDict({"stem": nn.Linear(2, 3), "head": nn.Linear(3, 1)})
    wrapper = build_optim_wrapper(model, {
        "optimizer": {"type": "AdamW", "lr": 0.01, "weight_decay": 0.1},
        "paramwise_cfg": {"freeze": {"stem.weight": 2, "stem.bias": None},
                          "bias_decay_mult": 0.0},
    })  # fmt: skip

    assert param_table(model, wrapper).splitlines() == [
        "parameter    shape  group  lr    weight_decay  trains",
        "stem.weight  3x2    0      0.01  0.1           frozen",
        "stem.bias    3      1      0.01  0             frozen",
        "head.weight  1x3    0      0.01  0.1           yes",
        "head.bias    1      1      0.01  0             yes",
    ]
