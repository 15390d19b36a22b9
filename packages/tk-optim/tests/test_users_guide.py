"""The optimizer chapter of a user's guide to MMEngine runs with changed imports only.

Its loops are repeated here as they are used there: plain, mixed precision,
accumulation, the finer calls, clipping, and reading rate and momentum.
"""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F  # as everybody writes it
from torch import nn
from torch.optim import SGD

from tk_logging import MessageHub
from tk_optim import AmpOptimWrapper, OptimWrapper
from tk_optim.scheduler import MultiStepLR

inputs = [torch.zeros(10, 1, 1)] * 10
targets = [torch.ones(10, 1, 1)] * 10


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> nn.Module:
    """A model whose ``.cuda()`` stays where it is when there is no GPU."""
    if not torch.cuda.is_available():
        monkeypatch.setattr(nn.Module, "cuda", lambda self: self)
        monkeypatch.setattr(torch.Tensor, "cuda", lambda self: self)
    torch.manual_seed(0)
    return nn.Linear(1, 1)


def loss_of(model: nn.Module) -> float:
    return F.l1_loss(model(inputs[0]), targets[0]).item()


def test_single_precision(model: nn.Module) -> None:
    optimizer = SGD(model.parameters(), lr=0.01)
    before = loss_of(model)
    optim_wrapper = OptimWrapper(optimizer=optimizer)
    for input, target in zip(inputs, targets):  # noqa: A001, B905
        output = model(input)
        loss = F.l1_loss(output, target)
        optim_wrapper.update_params(loss)

    assert loss_of(model) == pytest.approx(before - 10 * 0.01, abs=1e-5)


@pytest.mark.parametrize("settings", [{}, {"accumulative_counts": 2}])
def test_mixed_precision(model: nn.Module, settings: dict[str, int]) -> None:
    model = model.cuda()
    optimizer = SGD(model.parameters(), lr=0.01)
    before = loss_of(model)
    optim_wrapper = AmpOptimWrapper(optimizer=optimizer, **settings)
    for input, target in zip(inputs, targets):  # noqa: A001, B905
        with optim_wrapper.optim_context(model):
            output = model(input.cuda())
        loss = F.l1_loss(output, target.cuda())
        optim_wrapper.update_params(loss)

    assert loss_of(model) < before


def test_the_finer_calls(model: nn.Module) -> None:
    model = model.cuda()
    optimizer = SGD(model.parameters(), lr=0.01)
    before = loss_of(model)
    optim_wrapper = AmpOptimWrapper(optimizer=optimizer)
    for idx, (input, target) in enumerate(zip(inputs, targets)):  # noqa: A001, B905
        optimizer.zero_grad()
        with optim_wrapper.optim_context(model):
            output = model(input.cuda())
        loss = F.l1_loss(output, target.cuda())
        optim_wrapper.backward(loss)
        if idx % 2 == 0:
            optim_wrapper.step()
            optim_wrapper.zero_grad()

    assert loss_of(model) < before


@pytest.mark.parametrize("clip_grad", [{"max_norm": 1}, {"type": "value", "clip_value": 0.2}])
def test_clipping(model: nn.Module, hub: MessageHub, clip_grad: dict[str, object]) -> None:
    model = model.cuda()
    optimizer = SGD(model.parameters(), lr=0.01)
    optim_wrapper = AmpOptimWrapper(optimizer=optimizer, clip_grad=clip_grad)
    optim_wrapper.message_hub = hub
    with optim_wrapper.optim_context(model):
        loss = F.l1_loss(model(inputs[0].cuda()), targets[0].cuda())
    optim_wrapper.update_params(loss)

    assert hub.get_scalar("train/grad_norm").current() > 0


def test_rate_and_momentum() -> None:
    model = nn.Linear(1, 1)
    optimizer = SGD(model.parameters(), lr=0.01)
    optim_wrapper = OptimWrapper(optimizer)

    assert optimizer.param_groups[0]["lr"] == 0.01
    assert optimizer.param_groups[0]["momentum"] == 0
    assert optim_wrapper.get_lr() == {"lr": [0.01]}
    assert optim_wrapper.get_momentum() == {"momentum": [0]}


def test_a_schedule_beside_its_optimizer() -> None:
    optimizer = torch.optim.SGD(nn.Linear(1, 1).parameters(), lr=0.01, momentum=0.9)
    lr_scheduler = MultiStepLR(optimizer, milestones=[2], by_epoch=True)
    for _ in range(2):
        lr_scheduler.step()

    assert optimizer.param_groups[0]["lr"] == pytest.approx(0.001, abs=1e-15)
