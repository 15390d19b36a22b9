from __future__ import annotations

import contextlib
from typing import Any

import pytest
import torch
from torch import nn

from tk_dist import get_rank, launch
from tk_optim import OptimWrapper, OptimWrapperDict
from tk_runner.model import (
    BaseModel,
    MMSeparateDistributedDataParallel,
    StochasticWeightAverage,
    is_model_wrapper,
)


def one() -> nn.Linear:
    layer = nn.Linear(1, 1, bias=False)
    nn.init.ones_(layer.weight)
    return layer


class Two(BaseModel):
    """Two parts with an optimizer each, a frozen part and one without parameters."""

    def __init__(self) -> None:
        super().__init__()
        self.a, self.b, self.relu = one(), one(), nn.ReLU()
        self.frozen = nn.Linear(1, 1).requires_grad_(False)
        nn.init.constant_(self.frozen.weight, 5.0 + get_rank())

    def forward(self, inputs: Any, data_samples: Any = None, mode: str = "tensor") -> Any:
        return [self.relu(self.b(self.a(inputs))), mode]

    def train_step(self, data: Any, optim_wrapper: Any) -> Any:
        log = {}
        for name in ("a", "b"):
            part = getattr(self, name)
            with optim_wrapper[name].optim_context(part):
                loss = part(data).mean()
            optim_wrapper[name].update_params(loss)
            log[f"loss_{name}"] = loss.detach()
        return log


def sgd(part: nn.Module, **more: Any) -> OptimWrapper:
    return OptimWrapper(torch.optim.SGD(part.parameters(), lr=1.0), **more)


def batch() -> torch.Tensor:
    return torch.full((1, 1), float(get_rank() + 1))  # gradients 1 and 2, mean 1.5


def trained() -> tuple[Any, ...]:
    model = MMSeparateDistributedDataParallel(Two())
    log = model.train_step(batch(), OptimWrapperDict(a=sgd(model.module.a), b=sgd(model.module.b)))
    state = {name: float(value.flatten()[0]) for name, value in model.module.state_dict().items()}
    kinds = [type(part).__name__ for part in (model.module.a, model.module.frozen)]
    return list(log), state["a.weight"], state["b.weight"], state["frozen.weight"], kinds


def test_each_trained_part_averages_its_gradients_and_frozen_ones_agree() -> None:
    expected = (["loss_a", "loss_b"], -0.5, -0.5, 5.0, ["PartDataParallel", "Linear"])

    assert launch(trained, 2) == [expected] * 2


def without_sync() -> list[float]:
    model = MMSeparateDistributedDataParallel(Two())
    with model.no_sync():
        (model.module.a(batch()).sum() + model.module.b(batch()).sum()).backward()
    return [float(part.weight.grad) for part in (model.module.a.module, model.module.b.module)]


def test_no_sync_holds_for_all_parts_at_once() -> None:
    assert launch(without_sync, 2) == [[1.0, 1.0], [2.0, 2.0]]


def failing_inside() -> list[bool]:
    model = MMSeparateDistributedDataParallel(Two())
    with contextlib.suppress(RuntimeError), model.no_sync():
        raise RuntimeError
    return [model.module.a.require_backward_grad_sync, model.module.b.require_backward_grad_sync]


def test_an_exception_inside_of_no_sync_ends_it() -> None:
    assert launch(failing_inside, 1) == [[True, True]]


def names() -> tuple[Any, ...]:
    plain = Two()
    model = MMSeparateDistributedDataParallel(Two())
    average = StochasticWeightAverage(model)
    average.update_parameters(model)
    loaded = model.module.load_state_dict(plain.state_dict())
    return (
        list(model.module.state_dict()) == list(plain.state_dict()),
        list(average.module.state_dict()) == list(plain.state_dict()),
        list(loaded.missing_keys),
    )


def test_names_of_weights_are_those_of_the_model() -> None:
    assert launch(names, 1) == [(True, True, [])]


def modes() -> tuple[Any, ...]:
    model = MMSeparateDistributedDataParallel(Two())
    x = torch.ones(1, 1)
    model.train(False)
    return (
        model.module.a.training, model.module.a.module.training, is_model_wrapper(model),
        model.val_step([x])[1], model.test_step([x])[1], model(x)[1],
    )  # fmt: skip


def test_steps_and_train_flags_reach_the_model() -> None:
    assert launch(modes, 1) == [(False, False, True, "predict", "predict", "tensor")]


def test_parameters_of_the_model_itself_are_refused() -> None:
    model = Two()
    model.scale = nn.Parameter(torch.ones(1))

    with pytest.raises(ValueError, match=r"\['scale'\] belong to Two itself.*into a child module"):
        MMSeparateDistributedDataParallel(model)


def test_parameters_of_two_children_are_refused() -> None:
    model = Two()
    model.b.weight = model.a.weight

    with pytest.raises(ValueError, match=r"b\.weight is also a parameter of 'a'"):
        MMSeparateDistributedDataParallel(model)
