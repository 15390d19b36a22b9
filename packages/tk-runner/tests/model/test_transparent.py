from __future__ import annotations

import torch
from torch import nn

from tk_runner.model.transparent import TransparentModule


class Around(TransparentModule):
    def __init__(self) -> None:
        super().__init__()
        self.module = nn.BatchNorm1d(2)
        self.register_buffer("scale", torch.ones(1))


def test_weights_inside_keep_their_own_names_at_any_depth() -> None:
    names = {"weight", "bias", "running_mean", "running_var", "num_batches_tracked", "scale"}

    assert set(Around().state_dict()) == names
    assert set(nn.ModuleDict({"a": Around()}).state_dict()) == {f"a.{name}" for name in names}


def test_a_state_loads_back_and_is_that_of_the_module_alone() -> None:
    outer, other = nn.Sequential(Around()), nn.Sequential(Around())
    nn.init.constant_(outer[0].module.weight, 7)
    outer[0].scale += 1

    other.load_state_dict(outer.state_dict())
    of_module = {name: value for name, value in Around().state_dict().items() if name != "scale"}
    nn.BatchNorm1d(2).load_state_dict(of_module)

    assert other[0].module.weight.tolist() == [7, 7]
    assert other[0].scale.item() == 2
