from __future__ import annotations

import copy
import logging
from typing import Any

import pytest
import torch
from device_reads import DeviceReads
from torch import Tensor, nn

from tk_dist import launch
from tk_registry import MODELS
from tk_runner.model import (
    AverageMismatchError,
    BaseAveragedModel,
    ExponentialMovingAverage,
    MomentumAnnealingEMA,
    StochasticWeightAverage,
)


class Net(nn.Module):
    """One weight, a floating-point and an integer buffer."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(2))
        self.register_buffer("mean", torch.zeros(2))
        self.register_buffer("count", torch.zeros((), dtype=torch.long))

    def set(self, value: float) -> None:
        with torch.no_grad():
            self.weight.fill_(value)
            self.mean.fill_(10 * value)
            self.count.fill_(int(value))

    def forward(self, x: Tensor) -> Tensor:
        return x * self.weight


def after(average: BaseAveragedModel, net: Net, values: list[float]) -> float:
    for value in values:
        net.set(value)
        average.update_parameters(net)
    return float(average.module.weight[0])


def test_the_equal_mean_is_that() -> None:
    net = Net()

    assert after(StochasticWeightAverage(net), net, [1, 2, 6]) == pytest.approx(3)


def test_the_exponential_average_follows_its_formula() -> None:
    net = Net()
    expected = 1.0
    for value in [2, 5]:
        expected = 0.9 * expected + 0.1 * value

    found = after(ExponentialMovingAverage(net, momentum=0.1), net, [1, 2, 5])

    assert found == pytest.approx(expected)


def test_the_annealed_momentum_falls_to_its_value() -> None:
    net = Net()
    expected = 1.0
    for steps, value in enumerate([2, 5, 3], start=1):
        momentum = max(0.4, 2 / (2 + steps))
        expected = (1 - momentum) * expected + momentum * value

    found = after(MomentumAnnealingEMA(net, momentum=0.4, gamma=2), net, [1, 2, 5, 3])

    assert found == pytest.approx(expected)


@pytest.mark.parametrize("kind", [StochasticWeightAverage, ExponentialMovingAverage])
def test_between_intervals_nothing_is_averaged(kind: Any) -> None:
    net = Net()
    average = kind(net, interval=3)

    assert after(average, net, [1, 5, 7]) == 1  # updates 1 and 2 are between
    assert after(average, net, [3]) == pytest.approx(
        2 if kind is StochasticWeightAverage else 1.0004
    )
    assert int(average.steps) == 4


def test_buffers_are_copied_at_each_update_by_default() -> None:
    net = Net()
    average = StochasticWeightAverage(net, interval=2)

    after(average, net, [1, 4])

    assert average.module.mean.tolist() == [40, 40]
    assert int(average.module.count) == 4


def test_buffers_are_averaged_where_asked_and_integers_copied() -> None:
    net = Net()
    average = StochasticWeightAverage(net, update_buffers=True)

    after(average, net, [1, 3])

    assert average.module.mean.tolist() == [20, 20]
    assert int(average.module.count) == 3


def test_an_update_reads_nothing_from_the_device() -> None:
    net = Net()
    averages = [
        StochasticWeightAverage(net),
        MomentumAnnealingEMA(net, interval=2, update_buffers=True),
    ]

    with DeviceReads() as reads:
        for _ in range(4):
            for average in averages:
                average.update_parameters(net)

    assert reads.count == 0


def test_the_average_has_no_gradients_and_answers_for_the_model() -> None:
    net = Net()
    average = ExponentialMovingAverage(net)
    after(average, net, [3])

    assert not any(param.requires_grad for param in average.parameters())
    assert average(torch.ones(2)).tolist() == [3, 3]
    assert net.weight.requires_grad


def test_its_state_goes_on_where_it_was() -> None:
    net = Net()
    average = StochasticWeightAverage(net)
    after(average, net, [1, 2])
    again = StochasticWeightAverage(net)

    again.load_state_dict(average.state_dict())

    assert list(again.state_dict()) == ["steps", "module.weight", "module.mean", "module.count"]
    assert after(again, net, [6]) == pytest.approx(3)
    assert after(copy.deepcopy(average), net, [6]) == pytest.approx(3)


def test_an_average_may_live_on_another_device() -> None:
    average = ExponentialMovingAverage(Net(), device="meta")

    average.update_parameters(Net())

    assert average.module.weight.is_meta


def test_a_rule_of_a_user_gets_one_tensor_at_a_time_and_the_steps() -> None:
    seen = []

    class Newest(BaseAveragedModel):
        def avg_func(self, averaged_param: Tensor, source_param: Tensor, steps: int) -> None:
            seen.append((averaged_param.shape, steps))
            averaged_param.copy_(source_param)

    class Doubled(ExponentialMovingAverage):
        def avg_func(self, averaged_param: Tensor, source_param: Tensor, steps: int) -> None:
            averaged_param.copy_(2 * source_param)

    net = Net()

    assert after(Newest(net), net, [1, 2, 5]) == 5
    assert seen == [((2,), 1), ((2,), 2)]
    assert after(Doubled(net), net, [1, 5]) == 10


def test_a_source_of_another_precision_is_converted() -> None:
    average = StochasticWeightAverage(Net())
    net = Net().to(torch.bfloat16)

    assert after(average, net, [1, 2]) == 1.5


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (
            lambda: ExponentialMovingAverage(Net(), interval=0),
            "interval must be a whole number of 1 or more, got 0",
        ),
        (
            lambda: ExponentialMovingAverage(Net(), momentum=1.0),
            "momentum must be a number between 0 and 1",
        ),
        (
            lambda: ExponentialMovingAverage(Net(), momentum=0.0),
            "momentum must be a number between 0 and 1",
        ),
        (lambda: MomentumAnnealingEMA(Net(), gamma=0), "gamma must be a number above 0, got 0"),
        (lambda: StochasticWeightAverage(nn.LazyLinear(1)), "run one batch through it"),
        (lambda: StochasticWeightAverage(nn.ReLU()), "ReLU has no floating-point parameter"),
    ],
)
def test_settings_that_cannot_work_are_refused(make: Any, text: str) -> None:
    with pytest.raises(AssertionError, match=text):
        make()


def test_a_momentum_that_hardly_averages_and_half_precision_are_told(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.WARNING, "tk"):
        ExponentialMovingAverage(Net().half(), momentum=0.9)

    assert "hardly averages" in caplog.text
    assert "half precision, which rounds" in caplog.text


def test_another_model_than_the_averaged_one_is_refused_by_its_weights() -> None:
    average = StochasticWeightAverage(Net())

    with pytest.raises(AverageMismatchError, match=r"model has \['bias'\]; make the average out"):
        average.update_parameters(nn.Linear(1, 1))


def test_it_is_built_by_name() -> None:
    built = MODELS.build({"type": "ExponentialMovingAverage", "model": Net(), "momentum": 0.1})

    assert isinstance(built, ExponentialMovingAverage)


def compiled(module: nn.Module) -> nn.Module:
    return torch.compile(module, backend="eager")  # type: ignore[return-value]


@pytest.mark.parametrize(
    "wrap",
    [
        compiled,
        nn.DataParallel,
        lambda net: compiled(nn.DataParallel(net)),
        lambda net: nn.DataParallel(compiled(net)),
    ],
    ids=["compiled", "wrapped", "wrapped, then compiled", "compiled, then wrapped"],
)
def test_names_are_those_of_the_model_inside(wrap: Any) -> None:
    net = Net()
    model = wrap(net)
    average = StochasticWeightAverage(model)

    for value in (1, 3):
        net.set(value)
        average.update_parameters(model)

    assert list(average.module.state_dict()) == ["weight", "mean", "count"]
    assert float(average.module.weight[0]) == 2
    average.update_parameters(net)


def test_wrapped_and_compiled_parts_leave_no_trace_in_names() -> None:
    shared = nn.Linear(1, 1)
    model = nn.ModuleDict(
        {"a": nn.DataParallel(compiled(shared)), "b": shared, "c": nn.Linear(1, 1)}
    )
    plain = nn.ModuleDict({"a": shared, "b": shared, "c": model["c"]})

    average = StochasticWeightAverage(model)
    average.update_parameters(model)

    assert list(average.module.state_dict()) == list(plain.state_dict())
    assert average.module["a"] is average.module["b"]
    assert torch.equal(average.module["a"].weight, shared.weight)


def averaged_over_ranks() -> tuple[list[str], list[float]]:
    net = Net()
    model = nn.parallel.DistributedDataParallel(net)
    average = ExponentialMovingAverage(model, momentum=0.5)
    for value in (1, 3):
        net.set(value)
        average.update_parameters(model)
    return list(average.module.state_dict()), average.module.weight.tolist()


def test_under_distributed_data_parallel_names_are_clean() -> None:
    assert launch(averaged_over_ranks, 2) == [(["weight", "mean", "count"], [2.0, 2.0])] * 2
