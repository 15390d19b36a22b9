"""From a loss to new parameters."""

from __future__ import annotations

import copy
import io
import logging
from contextlib import contextmanager

import pytest
import torch
from optim_cases import ReadCounter, make_optimizer
from torch import nn
from torch.optim import LBFGS, SGD, Adam

from tk_dist import launch
from tk_logging import MessageHub
from tk_optim import InvalidSettingError, InvalidTypeError, OptimWrapper
from tk_optim.scheduler import StepLR
from tk_registry import OPTIM_WRAPPERS


def linear(seed: int = 0) -> nn.Linear:
    torch.manual_seed(seed)
    return nn.Linear(3, 1)


def batches(count: int, size: int = 2) -> torch.Tensor:
    return torch.randn(count, size, 3, generator=torch.Generator().manual_seed(1))


def train(model: nn.Module, data: torch.Tensor, wrapper: OptimWrapper) -> None:
    for batch in data:
        wrapper.update_params(model(batch).square().mean())


def test_an_update_is_backward_step_and_zeroing() -> None:
    model, bare = linear(), linear()
    wrapper = OptimWrapper(SGD(model.parameters(), lr=0.1))
    optimizer = SGD(bare.parameters(), lr=0.1)
    train(model, batches(3), wrapper)
    for batch in batches(3):
        bare(batch).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()

    assert torch.equal(model.weight, bare.weight)
    assert model.weight.grad is None
    assert (wrapper.inner_count, wrapper.update_count) == (3, 3)


def test_accumulating_four_equals_a_batch_four_times_as_large() -> None:
    small, large = linear().double(), linear().double()
    data = batches(8).double()
    train(small, data, OptimWrapper(SGD(small.parameters(), lr=0.1), accumulative_counts=4))
    train(large, data.reshape(2, 8, 3), OptimWrapper(SGD(large.parameters(), lr=0.1)))

    # the same sums in another order: float64 rounding only
    assert torch.allclose(small.weight, large.weight, rtol=0, atol=1e-14)


def test_the_last_incomplete_group_is_the_mean_of_what_is_in_it() -> None:
    small, large = linear().double(), linear().double()
    data = batches(6).double()
    wrapper = OptimWrapper(SGD(small.parameters(), lr=0.1), accumulative_counts=4)
    wrapper.initialize_count_status(small, 0, 6)
    train(small, data, wrapper)
    other = OptimWrapper(SGD(large.parameters(), lr=0.1))
    train(large, data[:4].reshape(1, 8, 3), other)
    train(large, data[4:].reshape(1, 4, 3), other)

    assert torch.allclose(small.weight, large.weight, rtol=0, atol=1e-14)


def test_finishing_a_group_makes_its_gradient_a_mean() -> None:
    small, large = linear().double(), linear().double()
    data = batches(3).double()
    wrapper = OptimWrapper(SGD(small.parameters(), lr=0.1), accumulative_counts=4)
    train(small, data, wrapper)
    assert wrapper.finish_group()
    assert not wrapper.finish_group()
    train(large, data.reshape(1, 6, 3), OptimWrapper(SGD(large.parameters(), lr=0.1)))

    assert torch.allclose(small.weight, large.weight, rtol=0, atol=1e-14)
    assert (wrapper.update_count, wrapper.should_update()) == (1, True)


def test_dividing_by_one_gives_the_loss_itself() -> None:
    loss = torch.ones((), requires_grad=True)

    assert OptimWrapper(make_optimizer()).scale_loss(loss) is loss


def test_when_to_update_and_when_to_sync() -> None:
    wrapper = OptimWrapper(make_optimizer(), accumulative_counts=3)
    wrapper.initialize_count_status(nn.Module(), 0, 5)
    param = wrapper.param_groups[0]["params"][0]
    seen = []
    for _ in range(5):
        sync = wrapper.should_sync()
        wrapper.backward(wrapper.scale_loss(param.sum()))
        seen.append((sync, wrapper.should_update()))

    assert seen == [(False, False), (False, False), (True, True), (False, False), (True, True)]


def test_a_resume_inside_a_group_is_said(caplog: pytest.LogCaptureFixture) -> None:
    OptimWrapper(make_optimizer(), 4).initialize_count_status(nn.Module(), 6, 100)

    assert "goes on at batch 6, inside a group of 4" in caplog.text


def test_a_resume_inside_a_group_goes_on_with_saved_gradients(
    caplog: pytest.LogCaptureFixture,
) -> None:
    data = batches(4).double()
    straight, model = linear().double(), linear().double()
    train(straight, data, OptimWrapper(SGD(straight.parameters(), lr=0.1), 4))
    first = OptimWrapper(SGD(model.parameters(), lr=0.1), 4)
    train(model, data[:2], first)
    assert first.has_pending_gradients

    resumed = OptimWrapper(SGD(model.parameters(), lr=0.1), 4)
    resumed.initialize_count_status(model, 2, 4)
    train(model, data[2:], resumed)

    assert torch.equal(model.weight, straight.weight)
    assert not resumed.has_pending_gradients
    assert "inside a group" not in caplog.text


def test_batch_norm_with_accumulation_is_said(caplog: pytest.LogCaptureFixture) -> None:
    OptimWrapper(make_optimizer(), 4).initialize_count_status(nn.BatchNorm1d(2), 0, 100)
    assert "batch norm sees each batch alone" in caplog.text
    caplog.clear()
    OptimWrapper(make_optimizer()).initialize_count_status(nn.BatchNorm1d(2), 0, 100)

    assert not caplog.text


@pytest.mark.parametrize("clip_grad", [None, {"max_norm": 1.0}, {"type": "value", "clip_value": 1}])
def test_a_step_reads_nothing_from_the_device(hub: MessageHub, clip_grad: dict | None) -> None:
    model = linear()
    optimizer = SGD(model.parameters(), lr=0.1, momentum=0.9)
    wrapper = OptimWrapper(optimizer, accumulative_counts=2, clip_grad=clip_grad)
    wrapper.message_hub = hub
    with ReadCounter() as counter:
        train(model, batches(8), wrapper)

    assert counter.reads == 0


def test_the_norm_is_recorded_before_and_after_clipping(hub: MessageHub) -> None:
    model = linear()
    wrapper = OptimWrapper(SGD(model.parameters(), lr=0.1), clip_grad={"max_norm": 1e-3})
    wrapper.message_hub = hub
    model(batches(1)[0]).square().mean().backward()
    expected = torch.cat([param.grad.flatten() for param in model.parameters()]).norm().item()
    wrapper.step()

    assert hub.get_scalar("train/grad_norm").current() == pytest.approx(expected)
    assert hub.get_scalar("train/grad_norm_clipped").current() == pytest.approx(1e-3, rel=1e-3)


def test_without_another_hub_the_current_one_is_told() -> None:
    assert OptimWrapper(make_optimizer()).message_hub is MessageHub.get_current_instance()


def test_clipping_without_any_gradient_is_a_plain_step() -> None:
    wrapper = OptimWrapper(make_optimizer(), clip_grad={"max_norm": 1.0})
    wrapper.step()

    assert wrapper.update_count == 1


def test_frozen_parameters_are_not_clipped(hub: MessageHub) -> None:
    model = linear()
    model.bias.requires_grad_(False)
    wrapper = OptimWrapper(SGD(model.parameters(), lr=0.1), clip_grad={"max_norm": 1.0})
    wrapper.message_hub = hub
    train(model, batches(1), wrapper)

    assert model.bias.grad is None


class Syncing(nn.Linear):
    """A model that notes when it is told not to exchange gradients."""

    quiet = 0

    @contextmanager
    def no_sync(self):
        self.quiet += 1
        yield


class Sharded(nn.Linear):
    """A model with the switch of ``fully_shard``."""

    def __init__(self) -> None:
        super().__init__(1, 1)
        self.calls: list[bool] = []

    def set_requires_gradient_sync(self, sync: bool) -> None:
        self.calls.append(sync)


def test_gradients_are_exchanged_only_when_an_update_is_due() -> None:
    model, sharded = Syncing(1, 1), Sharded()
    wrapper = OptimWrapper(make_optimizer(), accumulative_counts=3)
    param = wrapper.param_groups[0]["params"][0]
    for _ in range(6):
        with wrapper.optim_context(model), wrapper.optim_context(sharded):
            loss = param.sum()
        wrapper.update_params(loss)

    assert model.quiet == 4
    assert sharded.calls == [False, False, True] * 2  # it stays for the backward pass


def test_a_model_that_exchanges_nothing_is_left_alone() -> None:
    with OptimWrapper(make_optimizer(), 3).optim_context(nn.Linear(1, 1)):
        pass


def _gradients_of_two_ranks() -> list[float]:
    torch.manual_seed(torch.distributed.get_rank())
    model = nn.parallel.DistributedDataParallel(nn.Linear(1, 1, bias=False))
    wrapper = OptimWrapper(SGD(model.parameters(), lr=1.0), accumulative_counts=2)
    seen = []
    for _ in range(2):
        with wrapper.optim_context(model):
            loss = model(torch.full((1, 1), 1.0 + torch.distributed.get_rank())).sum()
        wrapper.backward(wrapper.scale_loss(loss))
        seen.append(model.module.weight.grad.item())
    return seen


def test_two_ranks_agree_on_the_gradient_when_the_group_is_full() -> None:
    first, second = launch(_gradients_of_two_ranks, 2, start_method="fork")

    assert first == pytest.approx([0.5, 1.5])  # alone after one batch, the mean after two
    assert second == pytest.approx([1.0, 1.5])


def _weight_after_an_incomplete_group() -> float:
    rank = torch.distributed.get_rank()
    model = nn.parallel.DistributedDataParallel(nn.Linear(1, 1, bias=False))
    with torch.no_grad():
        model.module.weight.zero_()
    wrapper = OptimWrapper(SGD(model.parameters(), lr=1.0), accumulative_counts=4)
    for batch in range(2):
        with wrapper.optim_context(model):
            loss = model(torch.full((1, 1), 1.0 + rank + 2 * batch)).sum()
        wrapper.update_params(loss)
    wrapper.finish_group()
    return model.module.weight.item()


def test_ranks_agree_after_an_incomplete_group_too() -> None:
    weights = launch(_weight_after_an_incomplete_group, 2, start_method="fork")

    assert weights == [-2.5, -2.5]  # the mean of 1, 2, 3 and 4


@pytest.mark.parametrize("kind", [SGD, Adam])
def test_state_goes_to_a_bare_optimizer_and_back(kind: type[torch.optim.Optimizer]) -> None:
    model = linear()
    wrapper = OptimWrapper(kind(model.parameters(), lr=0.1))
    train(model, batches(2), wrapper)
    bare = kind(linear().parameters(), lr=0.9)
    bare.load_state_dict(wrapper.state_dict())
    again = OptimWrapper(kind(linear().parameters(), lr=0.9))
    again.load_state_dict(bare.state_dict())

    assert again.get_lr() == {"lr": [0.1]}
    assert str(again.state_dict()) == str(wrapper.state_dict())


def test_the_state_of_other_wrappers_is_read_and_left_as_it_is() -> None:
    wrapper = OptimWrapper(make_optimizer(0.1))
    state = {**wrapper.state_dict(), "base_param_settings": {"lr": 1.0}, "loss_scaler": {}}
    keys = list(state)
    OptimWrapper(make_optimizer(0.5)).load_state_dict(state)

    assert list(state) == keys


def test_the_state_is_read_by_the_safe_loader() -> None:
    model = linear()
    wrapper = OptimWrapper(Adam(model.parameters()))
    StepLR(wrapper, step_size=1)
    train(model, batches(2), wrapper)
    file = io.BytesIO()
    torch.save(wrapper.state_dict(), file)
    file.seek(0)

    assert torch.load(file, weights_only=True)["param_groups"]


def test_the_groups_are_those_of_the_optimizer() -> None:
    optimizer = make_optimizer(0.1, 0.2)
    wrapper = OptimWrapper(optimizer)

    assert wrapper.param_groups is optimizer.param_groups
    assert wrapper.defaults is optimizer.defaults


def test_rates_of_groups_and_of_a_group_without_options() -> None:
    optimizer = SGD([{"params": [nn.Parameter(torch.zeros(1))], "lr": 0.5},
                     {"params": [nn.Parameter(torch.zeros(1))]}], lr=1.0)  # fmt: skip
    wrapper = OptimWrapper(optimizer)
    assert wrapper.get_lr() == {"lr": [0.5, 1.0], "base_lr": [1.0]}
    schedule = StepLR(wrapper, step_size=1, gamma=0.1)
    schedule.step()

    assert wrapper.get_lr() == {"lr": [0.05, 0.1], "base_lr": [0.1]}
    assert OptimWrapper(make_optimizer(0.3)).get_lr() == {"lr": [0.3]}


def test_momentum_of_groups() -> None:
    assert OptimWrapper(make_optimizer(momentum=0.9)).get_momentum() == {"momentum": [0.9]}
    assert OptimWrapper(make_optimizer(kind=Adam)).get_momentum() == {"momentum": [0.9]}
    assert OptimWrapper(make_optimizer(kind=torch.optim.Rprop)).get_momentum() == {"momentum": [0]}


def test_a_closure_reaches_the_optimizer() -> None:
    model = linear()
    wrapper = OptimWrapper(LBFGS(model.parameters()))
    data = batches(1)[0]

    def closure() -> torch.Tensor:
        wrapper.zero_grad()
        loss = model(data).square().mean()
        wrapper.backward(loss)
        return loss

    before = model(data).square().mean().item()
    wrapper.step(closure=closure)

    assert model(data).square().mean().item() < before


def test_arguments_reach_step_and_zero_grad() -> None:
    model = linear()
    wrapper = OptimWrapper(SGD(model.parameters(), lr=0.1))
    wrapper.update_params(model(batches(1)[0]).sum(), zero_kwargs={"set_to_none": False})

    assert model.weight.grad.tolist() == [[0.0, 0.0, 0.0]]


def test_a_wrapper_can_be_copied_with_its_model() -> None:
    model = linear()
    wrapper = OptimWrapper(SGD(model.parameters(), lr=0.1))

    assert copy.deepcopy(wrapper).get_lr() == {"lr": [0.1]}


def test_what_is_no_optimizer_is_refused() -> None:
    with pytest.raises(InvalidTypeError, match="needs a torch optimizer, got dict"):
        OptimWrapper({"type": "SGD"})


def test_it_shows_its_settings() -> None:
    shown = repr(OptimWrapper(make_optimizer(), accumulative_counts=3))

    assert "accumulative_counts: 3" in shown
    assert "SGD" in shown


def test_it_is_found_by_name() -> None:
    assert OPTIM_WRAPPERS.get("OptimWrapper") is OptimWrapper


def test_its_log_goes_to_the_projects_logger() -> None:
    assert logging.getLogger("tk.optim").handlers == []


def test_the_state_of_another_optimizer_is_refused_with_the_way_out() -> None:
    wrapper = OptimWrapper(Adam(linear().parameters()))

    with pytest.raises(InvalidSettingError, match=r"does not fit Adam: .* dampening.*go on with"):
        wrapper.load_state_dict(SGD(linear().parameters(), lr=0.1).state_dict())


def test_the_state_of_another_model_is_refused_with_the_way_out() -> None:
    wrapper = OptimWrapper(SGD(linear().parameters(), lr=0.1))

    with pytest.raises(InvalidSettingError, match=r"does not fit SGD: .* go on with"):
        wrapper.load_state_dict(SGD([linear().weight], lr=0.1).state_dict())
