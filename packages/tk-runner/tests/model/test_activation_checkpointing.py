from __future__ import annotations

import copy
from pathlib import Path

import pytest
import torch
from torch import nn
from toy_run import NOT_VALIDATING, toy_run

from tk_runner import InvalidSettingsError, turn_on_activation_checkpointing


def two_layers() -> nn.Sequential:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 1))


def test_gradients_are_those_of_the_plain_model() -> None:
    plain, recomputed = two_layers(), two_layers()
    turn_on_activation_checkpointing(recomputed, ["0"])
    rows = torch.ones(2, 3)

    plain(rows).sum().backward()
    recomputed(rows).sum().backward()

    assert torch.equal(plain[0].weight.grad, recomputed[0].weight.grad)


def test_the_named_part_is_computed_again_in_backward() -> None:
    model = two_layers()
    calls: list[int] = []
    model[0].register_forward_hook(lambda *_: calls.append(1))
    inner = model[0].forward
    model[0].forward = lambda rows: (calls.append(2), inner(rows))[1]  # type: ignore[method-assign]
    turn_on_activation_checkpointing(model, "0")

    model(torch.ones(2, 3, requires_grad=True)).sum().backward()

    assert calls.count(2) == 2


def test_a_name_that_is_no_module_is_answered_with_the_nearest() -> None:
    model = nn.ModuleDict({"backbone": nn.Linear(1, 1)})

    with pytest.raises(InvalidSettingsError, match="did you mean 'backbone'"):
        turn_on_activation_checkpointing(model, ["backbon"])


def test_a_run_turns_it_on(tmp_path: Path) -> None:
    runner = toy_run(tmp_path, activation_checkpointing=["net"], **NOT_VALIDATING)

    runner.train()

    assert runner.iter == 12


def test_what_is_no_name_is_refused() -> None:
    with pytest.raises(InvalidSettingsError, match="must be names of modules, got 3"):
        turn_on_activation_checkpointing(nn.Linear(1, 1), 3)  # type: ignore[arg-type]


def test_a_deep_copy_computes_with_its_own_weights() -> None:
    model = two_layers()
    turn_on_activation_checkpointing(model, ["0"])
    copied = copy.deepcopy(model)
    rows = torch.ones(2, 3)
    expected = model(rows)

    with torch.no_grad():
        model[0].weight.zero_()

    assert torch.equal(copied(rows), expected)
    assert not torch.equal(model(rows), expected)
