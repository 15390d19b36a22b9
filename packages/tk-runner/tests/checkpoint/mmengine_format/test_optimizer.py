"""The names that MMEngine leaves out of the state of an optimizer."""

from __future__ import annotations

import copy

import torch
from torch import nn

from tk_optim import OptimWrapper, build_optim_wrapper
from tk_runner.checkpoint.mmengine_format.optimizer import with_parameter_names


def model() -> nn.Module:
    return nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3), nn.Linear(3, 1))


def one_step(model: nn.Module, wrapper: OptimWrapper) -> None:
    wrapper.update_params(model(torch.arange(8.0).view(4, 2)).square().mean())


def test_a_group_for_each_parameter_is_named_in_the_order_of_the_model() -> None:
    source = model()
    groups = [{"params": [value]} for value in source.parameters()]
    state = torch.optim.SGD(groups, lr=0.1).state_dict()

    named = with_parameter_names(state, source)

    assert named["param_names"] == [[name] for name, _ in source.named_parameters()]
    assert "param_names" not in state


def test_other_states_are_left_as_they_are() -> None:
    source = model()
    one_group = torch.optim.SGD(source.parameters(), lr=0.1).state_dict()
    several = {"a": one_group, "b": one_group}
    of_another = torch.optim.SGD(
        [{"params": [nn.Parameter(torch.ones(1))]}] * 1, lr=0.1
    ).state_dict()

    for state in (one_group, several, of_another):
        assert with_parameter_names(state, source) is state


def test_each_parameter_gets_its_own_momentum_back_though_groups_are_made_otherwise() -> None:
    source, target = model(), model()
    target.load_state_dict(source.state_dict())
    by_parameter = [
        {"params": [v], "weight_decay": 0.0 if v.ndim == 1 else 0.1} for v in source.parameters()
    ]
    saved = OptimWrapper(torch.optim.SGD(by_parameter, lr=0.1, momentum=0.9))
    one_step(source, saved)
    config = {
        "optimizer": {"type": "SGD", "lr": 0.1, "momentum": 0.9, "weight_decay": 0.1},
        "paramwise_cfg": {"norm_decay_mult": 0.0, "bias_decay_mult": 0.0},
    }
    resumed = build_optim_wrapper(target, config)
    target.load_state_dict(source.state_dict())

    state = copy.deepcopy(saved.optimizer.state_dict())
    resumed.load_state_dict(with_parameter_names(state, target))
    one_step(source, saved)
    one_step(target, resumed)

    for ours, theirs in zip(target.parameters(), source.parameters(), strict=True):
        torch.testing.assert_close(ours, theirs)
