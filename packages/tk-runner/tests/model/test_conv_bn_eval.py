from __future__ import annotations

import copy
from typing import Any

import pytest
import torch
from torch import nn

from tk_runner.model import ModelSettingsError, turn_on_efficient_conv_bn_eval

PAIRS: dict[str, Any] = {
    "1d": (lambda: nn.Conv1d(4, 6, 3), lambda: nn.BatchNorm1d(6), (2, 4, 8)),
    "2d grouped": (
        lambda: nn.Conv2d(4, 6, 3, groups=2, bias=False, padding=1, padding_mode="reflect"),
        lambda: nn.BatchNorm2d(6, affine=False),
        (2, 4, 8, 8),
    ),
    "3d": (lambda: nn.Conv3d(4, 6, 2), lambda: nn.BatchNorm3d(6), (2, 4, 4, 4, 4)),
    "transposed": (
        lambda: nn.ConvTranspose2d(4, 6, 3, stride=2, groups=2),
        lambda: nn.BatchNorm2d(6),
        (2, 4, 5, 5),
    ),
}


class Net(nn.Module):
    def __init__(self, conv: nn.Module, bn: nn.Module) -> None:
        super().__init__()
        self.block = nn.Sequential(conv, bn, nn.ReLU())

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        result: torch.Tensor = self.block(x) + 1
        return result


def twins(name: str) -> tuple[Net, Net, torch.Tensor]:
    torch.manual_seed(0)
    conv, bn, shape = PAIRS[name]
    net = Net(conv(), bn())
    net(torch.rand(shape))  # statistics that are not those of the start
    net.eval()
    folded = copy.deepcopy(net)
    turn_on_efficient_conv_bn_eval(folded, "block")
    return net, folded, torch.rand(shape)


@pytest.mark.parametrize("name", PAIRS)
def test_frozen_pairs_give_the_same_values_and_gradients(name: str) -> None:
    net, folded, x = twins(name)

    net(x).square().sum().backward()
    folded(x).square().sum().backward()

    torch.testing.assert_close(folded(x), net(x), rtol=1e-4, atol=1e-5)
    for ours, theirs in zip(folded.parameters(), net.parameters(), strict=True):
        torch.testing.assert_close(ours.grad, theirs.grad, rtol=1e-3, atol=1e-3)


def test_the_batch_norm_is_not_run_in_eval_and_is_in_training() -> None:
    _, folded, x = twins("1d")
    seen = []
    folded.block[1].register_forward_hook(lambda *_: seen.append(1))

    folded(x)
    assert seen == []
    folded.train()
    folded(x)
    assert seen == [1]


def test_a_convolution_with_two_users_is_left_alone() -> None:
    class Branched(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.conv, self.bn = nn.Conv1d(1, 1, 1), nn.BatchNorm1d(1)

        def forward(self, x: Any) -> Any:
            y = self.conv(x)
            return self.bn(y) + y

    net, seen = Branched().eval(), []
    net.bn.register_forward_hook(lambda *_: seen.append(1))

    turn_on_efficient_conv_bn_eval(net, [""])
    net(torch.ones(1, 1, 2))

    assert seen == [1]


def test_it_survives_a_copy_and_a_move() -> None:
    net, folded, x = twins("1d")
    again = copy.deepcopy(folded).double()

    torch.testing.assert_close(again(x.double()).float(), net(x), rtol=1e-4, atol=1e-5)


def test_an_unknown_name_and_a_module_that_cannot_be_traced_are_refused() -> None:
    class Branching(nn.Module):
        def forward(self, x: Any) -> Any:
            return x if x.sum() > 0 else -x

    with pytest.raises(ModelSettingsError, match=r"'blok': did you mean 'block'"):
        turn_on_efficient_conv_bn_eval(twins("1d")[0], "blok")
    with pytest.raises(ModelSettingsError, match=r"Branching cannot be traced .* name sub-modules"):
        turn_on_efficient_conv_bn_eval(Branching(), "")
