"""Learning rate and momentum as targets."""

from __future__ import annotations

import inspect

import pytest
import torch
from optim_cases import make_optimizer
from torch.optim import SGD, Adagrad, Adam

from tk_optim import InvalidSettingError
from tk_optim.scheduler import OneCycleParamScheduler, StepLR, StepMomentum, StepParamScheduler


def test_momentum_is_driven() -> None:
    optimizer = make_optimizer(0.1, momentum=0.8)
    StepMomentum(optimizer, step_size=1, gamma=0.5).step()

    assert optimizer.param_groups[0]["momentum"] == 0.4


def test_the_first_beta_is_the_momentum_of_adam() -> None:
    optimizer = make_optimizer(0.1, kind=Adam)
    StepMomentum(optimizer, step_size=1, gamma=0.5).step()

    assert optimizer.param_groups[0]["betas"] == (0.45, 0.999)
    assert "momentum" not in optimizer.param_groups[0]


def test_an_optimizer_without_momentum_is_refused() -> None:
    with pytest.raises(InvalidSettingError, match="Adagrad has neither 'momentum' nor 'betas'"):
        StepMomentum(make_optimizer(0.1, kind=Adagrad), step_size=1)


def test_a_rate_that_is_a_tensor_is_filled_in_place() -> None:
    rate = torch.tensor(1.0)
    optimizer = SGD([torch.nn.Parameter(torch.zeros(1))], lr=rate)
    StepLR(optimizer, step_size=1, gamma=0.5).step()

    assert optimizer.param_groups[0]["lr"] is rate
    assert rate.item() == 0.5


def test_the_signature_is_the_familys_without_the_entry() -> None:
    general = [*inspect.signature(StepParamScheduler).parameters]

    assert [*inspect.signature(StepLR).parameters] == [
        name for name in general if name != "param_name"
    ]


def test_the_one_cycle_drives_the_rate_only() -> None:
    with pytest.raises(InvalidSettingError, match="the one-cycle schedule is of the learning rate"):
        OneCycleParamScheduler(make_optimizer(momentum=0.9), "momentum", eta_max=1, total_steps=3)
