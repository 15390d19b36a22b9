"""Freezing by name, and release at an epoch."""

from __future__ import annotations

import pytest
from torch import nn

from tk_optim import Freezing, InvalidSettingError, InvalidTypeError


def model() -> nn.Module:
    return nn.ModuleDict({
        "stem": nn.Linear(1, 1), "stem2": nn.Linear(1, 1, bias=False), "head": nn.Linear(1, 1),
    })  # fmt: skip


def training(net: nn.Module) -> list[str]:
    return [name for name, param in net.named_parameters() if param.requires_grad]


def test_what_trains_is_a_function_of_the_epoch() -> None:
    net = model()
    freezing = Freezing(net, {"stem": 2, "head.bias": None})

    assert freezing.apply(0) == ["stem.weight", "stem.bias", "head.bias"]
    assert training(net) == ["stem2.weight", "head.weight"]
    assert freezing.apply(1) == []
    assert freezing.apply(2) == ["stem.weight", "stem.bias"]
    assert training(net) == ["stem.weight", "stem.bias", "stem2.weight", "head.weight"]
    freezing.apply(0)
    assert training(net) == ["stem2.weight", "head.weight"]


def test_a_list_freezes_for_good() -> None:
    net = model()
    freezing = Freezing(net, ["stem"])
    freezing.apply(10**6)

    assert training(net) == ["stem2.weight", "head.weight", "head.bias"]
    assert freezing.frozen_for_good("stem.bias")
    assert not freezing.is_released("stem.bias")


def test_the_longest_freeze_counts() -> None:
    net = model()
    Freezing(net, {"stem*": 3, "stem": None}).apply(5)

    assert training(net) == ["stem2.weight", "head.weight", "head.bias"]


def test_a_gradient_of_what_freezes_is_dropped() -> None:
    net = model()
    sum(param.sum() for param in net.parameters()).backward()
    Freezing(net, ["stem"]).apply(0)

    assert net["stem"].weight.grad is None
    assert net["head"].weight.grad is not None


def test_a_pattern_without_any_parameter_is_reported(caplog: pytest.LogCaptureFixture) -> None:
    Freezing(model(), ["steam"])

    assert "freeze: 'steam' matches no parameter" in caplog.text


@pytest.mark.parametrize(
    ("patterns", "error", "text"),
    [
        ("stem", InvalidTypeError, r"give a list of patterns"),
        ({"stem": 0}, InvalidSettingError, r"freeze\['stem'\]=0: give the epoch"),
        ({"stem": 1.5}, InvalidSettingError, "give the epoch"),
    ],
)
def test_settings_that_cannot_work_are_refused(
    patterns: object, error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        Freezing(model(), patterns)
