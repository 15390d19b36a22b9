"""Walking a model."""

from __future__ import annotations

import torch
from torch import nn

from tk_optim.optimizer.facts import walk


class DeformConv2d(nn.Module):
    """Stands for the layer of this name in other packages."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(1, 1, 3, 3))
        self.conv_offset = nn.Conv2d(1, 18, 3)


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.zeros(1))
        self.conv = nn.Conv2d(2, 2, 3)
        self.depthwise = nn.Conv2d(2, 2, 3, groups=2)
        self.norm = nn.BatchNorm2d(2)
        self.dcn = DeformConv2d()
        self.again = self.conv
        self.tied = nn.Conv2d(2, 2, 3)
        self.tied.weight = self.conv.weight


def test_each_parameter_comes_once_with_what_it_is() -> None:
    found = {facts.path: facts for facts, _ in walk(Model())}

    assert list(found) == [
        "scale", "conv.weight", "conv.bias", "depthwise.weight", "depthwise.bias", "norm.weight",
        "norm.bias", "dcn.weight", "dcn.conv_offset.weight", "dcn.conv_offset.bias", "tied.bias",
    ]  # fmt: skip
    assert found["conv.bias"].is_bias
    assert found["scale"].ndim == 1
    assert {path for path, one in found.items() if one.in_norm} == {"norm.weight", "norm.bias"}
    assert found["depthwise.weight"].in_depthwise
    assert not found["conv.weight"].in_depthwise
    assert not found["dcn.weight"].in_deformable
    assert found["dcn.conv_offset.bias"].in_deformable
    assert found["dcn.conv_offset.weight"].is_offset


def test_a_part_is_named_with_its_prefix() -> None:
    found = [facts for facts, _ in walk(nn.Conv2d(1, 1, 1), "neck.conv_offset", in_deformable=True)]

    assert [facts.path for facts in found] == ["neck.conv_offset.weight", "neck.conv_offset.bias"]
    assert all(facts.is_offset for facts in found)
