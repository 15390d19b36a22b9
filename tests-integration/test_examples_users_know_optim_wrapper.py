"""Optimizer wrappers as MMEngine users know them: beside plain PyTorch, step by step.

Only imports differ, and what the known examples get wrong:

- ``.cuda()`` is left out, and autocast is that of the CPU, where there is no device.
- The plain loop with accumulation steps at even indices without dividing the loss, which is another
  schedule than the wrapper's, whose group ends at every second batch with the mean of its losses.
- The finer interface calls ``optimizer.zero_grad()`` at each batch, which takes back what was
  accumulated; it belongs after the step.
"""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.optim import SGD, Adam

from tk_logging import MessageHub
from tk_optim import AmpOptimWrapper, OptimWrapper, OptimWrapperDict
from tk_runner import BaseModel, Runner

inputs = [torch.full((10, 1, 1), float(n)) for n in range(10)]
targets = [torch.ones(10, 1, 1)] * 10


def fresh() -> tuple[nn.Linear, SGD]:
    torch.manual_seed(0)
    model = nn.Linear(1, 1)
    return model, SGD(model.parameters(), lr=0.01)


def weights(model: nn.Module) -> torch.Tensor:
    return nn.utils.parameters_to_vector(model.parameters()).detach()


def test_the_wrapper_gives_the_weights_of_the_plain_loop() -> None:
    model, optimizer = fresh()
    optimizer.zero_grad()
    for input, target in zip(inputs, targets, strict=True):
        output = model(input)
        loss = F.l1_loss(output, target)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    plain = weights(model)

    model, optimizer = fresh()
    optim_wrapper = OptimWrapper(optimizer=optimizer)
    for input, target in zip(inputs, targets, strict=True):
        output = model(input)
        loss = F.l1_loss(output, target)
        optim_wrapper.update_params(loss)

    assert torch.equal(weights(model), plain)


def test_mixed_precision_gives_the_weights_of_plain_autocast() -> None:
    model, optimizer = fresh()
    for input, target in zip(inputs, targets, strict=True):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            output = model(input)
        loss = F.l1_loss(output, target)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    plain = weights(model)

    model, optimizer = fresh()
    optim_wrapper = AmpOptimWrapper(optimizer=optimizer, dtype="bfloat16")
    for input, target in zip(inputs, targets, strict=True):
        with optim_wrapper.optim_context(model):
            output = model(input)
        assert output.dtype == torch.bfloat16
        loss = F.l1_loss(output, target)
        optim_wrapper.update_params(loss)

    assert torch.equal(weights(model), plain)


def test_accumulation_steps_with_the_mean_of_each_group() -> None:
    model, optimizer = fresh()
    for idx, (input, target) in enumerate(zip(inputs, targets, strict=True)):
        loss = F.l1_loss(model(input), target) / 2
        loss.backward()
        if idx % 2 == 1:
            optimizer.step()
            optimizer.zero_grad()
    plain = weights(model)

    model, optimizer = fresh()
    optim_wrapper = OptimWrapper(optimizer=optimizer, accumulative_counts=2)
    for input, target in zip(inputs, targets, strict=True):
        with optim_wrapper.optim_context(model):
            output = model(input)
        loss = F.l1_loss(output, target)
        optim_wrapper.update_params(loss)

    assert torch.equal(weights(model), plain)
    assert optim_wrapper.update_count == 5


def test_mixed_precision_and_accumulation_meet() -> None:
    model, optimizer = fresh()
    optim_wrapper = AmpOptimWrapper(optimizer=optimizer, dtype="bfloat16", accumulative_counts=2)
    for input, target in zip(inputs, targets, strict=True):
        with optim_wrapper.optim_context(model):
            output = model(input)
        loss = F.l1_loss(output, target)
        optim_wrapper.update_params(loss)

    assert optim_wrapper.update_count == 5


def test_the_finer_interface_gives_the_plain_loop() -> None:
    model, optimizer = fresh()
    for idx, (input, target) in enumerate(zip(inputs, targets, strict=True)):
        F.l1_loss(model(input), target).backward()
        if idx % 2 == 0:
            optimizer.step()
            optimizer.zero_grad()
    plain = weights(model)

    model, optimizer = fresh()
    optim_wrapper = OptimWrapper(optimizer=optimizer)
    for idx, (input, target) in enumerate(zip(inputs, targets, strict=True)):
        with optim_wrapper.optim_context(model):
            output = model(input)
        loss = F.l1_loss(output, target)
        optim_wrapper.backward(loss)
        if idx % 2 == 0:
            optim_wrapper.step()
            optim_wrapper.zero_grad()

    assert torch.equal(weights(model), plain)


@pytest.mark.parametrize("clip_grad", [dict(max_norm=1), dict(type="value", clip_value=0.2)])
def test_gradients_are_clipped_by_norm_or_value(clip_grad: dict[str, Any]) -> None:
    model, optimizer = fresh()
    optim_wrapper = AmpOptimWrapper(optimizer=optimizer, dtype="bfloat16", clip_grad=clip_grad)
    before = weights(model)
    with MessageHub.get_instance("clipping example").as_current():
        with optim_wrapper.optim_context(model):
            output = model(torch.full((10, 1, 1), 100.0))
        optim_wrapper.update_params(F.l1_loss(output, targets[0]))

    step = (before - weights(model)) / 0.01
    if "max_norm" in clip_grad:
        assert step.norm() == pytest.approx(1, rel=1e-2)  # float32 near 0.5, over 0.01
    else:
        assert step.abs().max() == pytest.approx(0.2, rel=1e-2)


def test_rates_and_momenta_are_read_by_name() -> None:
    _, optimizer = fresh()
    optim_wrapper = OptimWrapper(optimizer)

    assert optimizer.param_groups[0]["lr"] == 0.01
    assert optimizer.param_groups[0]["momentum"] == 0
    assert optim_wrapper.get_lr() == {"lr": [0.01]}
    assert optim_wrapper.get_momentum() == {"momentum": [0]}


class Adversaries(BaseModel):
    """A generator and a discriminator, each with an optimizer of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.generator, self.discriminator = nn.Linear(2, 1), nn.Linear(1, 1)

    def forward(self, noise: torch.Tensor, mode: str = "tensor") -> torch.Tensor:
        return self.generator(noise)

    def train_step(self, data: Any, optim_wrapper: OptimWrapperDict) -> dict[str, torch.Tensor]:
        (noise,) = data
        with optim_wrapper["discriminator"].optim_context(self):
            loss_disc = self.discriminator(self.generator(noise).detach()).square().mean()
        optim_wrapper["discriminator"].update_params(loss_disc)
        with optim_wrapper["generator"].optim_context(self):
            loss_gen = (1 - self.discriminator(self.generator(noise))).square().mean()
        optim_wrapper["generator"].update_params(loss_gen)
        return {"loss_disc": loss_disc.detach(), "loss_gen": loss_gen.detach()}


def test_a_model_with_two_optimizers_trains_each_with_its_own_schedule(tmp_path: Any) -> None:
    model = Adversaries()
    optim_wrapper = OptimWrapperDict(
        generator=OptimWrapper(Adam(model.generator.parameters(), lr=0.1)),
        discriminator=OptimWrapper(SGD(model.discriminator.parameters(), lr=0.2)),
    )
    data = torch.utils.data.TensorDataset(torch.randn(16, 2))
    runner = Runner(
        model=model,
        work_dir=str(tmp_path),
        train_dataloader=torch.utils.data.DataLoader(data, batch_size=4),
        train_cfg=dict(by_epoch=True, max_epochs=2),
        optim_wrapper=optim_wrapper,
        param_scheduler=dict(
            generator=dict(type="MultiStepLR", milestones=[1]),
            discriminator=[dict(type="ExponentialLR", gamma=0.5)],
        ),
        log_level="ERROR",
    )
    runner.train()

    scalars = runner.message_hub.log_scalars
    assert scalars["train/generator.lr"].data[0].tolist() == pytest.approx([0.1] * 4 + [0.01] * 4)
    assert scalars["train/discriminator.lr"].data[0].tolist() == pytest.approx(
        [0.2] * 4 + [0.1] * 4
    )
    assert {"train/loss_disc", "train/loss_gen"} <= set(scalars)
