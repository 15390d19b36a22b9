from __future__ import annotations

import logging
import sys
from typing import Any

import pytest
import torch
from torch import nn

from tk_runner.model import detect_anomalous_params


def test_what_a_loss_does_not_reach_is_named(caplog: pytest.LogCaptureFixture) -> None:
    net = nn.ModuleDict({"used": nn.Linear(2, 2), "unused": nn.Linear(2, 3)})
    net["frozen"] = nn.Linear(1, 1).requires_grad_(False)

    with caplog.at_level(logging.ERROR, "tk"):
        found = detect_anomalous_params(net["used"](torch.ones(1, 2)).sum(), net)

    assert found == ["unused.weight", "unused.bias"]
    assert "unused.weight (3, 2) is not in the graph of the loss" in caplog.text


def test_a_parameter_that_is_the_loss_is_reached_and_a_constant_reaches_nothing() -> None:
    net = nn.Module()
    net.weight = nn.Parameter(torch.zeros(()))

    assert detect_anomalous_params(net.weight, net) == []
    assert detect_anomalous_params(torch.zeros(()), net) == ["weight"]


def test_deep_graphs_are_walked() -> None:
    net = nn.Linear(1, 1)
    value = net(torch.ones(1, 1))
    for _ in range(3 * sys.getrecursionlimit()):
        value = value + 1

    assert detect_anomalous_params(value.sum(), net) == []


@pytest.mark.parametrize("loss", [{"loss": torch.ones(1)}, None])
def test_what_is_no_tensor_is_refused(loss: Any) -> None:
    with pytest.raises(TypeError, match=r"expected the total loss as a tensor, got \w+; parse_los"):
        detect_anomalous_params(loss, nn.Linear(1, 1))
