from __future__ import annotations

import logging
from typing import Any

import torch
from torch import nn

from tk_dist import get_rank, launch
from tk_optim import OptimWrapper
from tk_runner.model import BaseModel, MMDistributedDataParallel, PlainModel


class Line(BaseModel):
    def __init__(self, unused: bool = False) -> None:
        super().__init__()
        self.linear = nn.Linear(1, 1, bias=False)
        nn.init.ones_(self.linear.weight)
        if unused:
            self.unused = nn.Linear(1, 1)

    def forward(self, x: Any, data_samples: Any = None, mode: str = "tensor") -> Any:
        out = self.linear(x)
        return {"loss": out.mean()} if mode == "loss" else [out, mode]


def sgd(model: nn.Module, **more: Any) -> OptimWrapper:
    return OptimWrapper(torch.optim.SGD(model.parameters(), lr=1.0), **more)


def step_of_each_kind() -> list[Any]:
    x = torch.full((1, 1), float(get_rank() + 1))  # gradient 1 and 2, mean 1.5
    found = []
    for batch in ({"x": x}, [x], (x, None)):
        model = MMDistributedDataParallel(Line(), broadcast_buffers=False)
        log = model.train_step(batch, sgd(model))
        found.append((list(log), float(model.module.linear.weight.detach())))
    found.append((model.val_step([x])[1], model.test_step({"x": x})[1]))
    return found


def test_ranks_average_gradients_and_evaluate_with_the_model() -> None:
    expected = [(["loss"], -0.5)] * 3 + [("predict", "predict")]

    assert launch(step_of_each_kind, 2) == [expected] * 2


def accumulated() -> list[float]:
    model = MMDistributedDataParallel(Line())
    optim = sgd(model, accumulative_counts=2)
    grads = []
    for _ in range(2):
        model.train_step([torch.full((1, 1), float(get_rank() + 1))], optim)
        grad = model.module.linear.weight.grad
        grads.append(0.0 if grad is None else float(grad))
    return [*grads, float(model.module.linear.weight.detach())]


def test_while_accumulating_ranks_keep_their_own_gradients() -> None:
    (first, *_), (second, *_) = found = launch(accumulated, 2)

    assert (first, second) == (0.5, 1.0)
    assert [one[-1] for one in found] == [-0.5, -0.5]


def unused_parameters() -> list[str]:
    seen: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: seen.append(record.getMessage())  # type: ignore[method-assign]
    logging.getLogger("tk.runner").addHandler(handler)
    model = MMDistributedDataParallel(
        Line(unused=True), detect_anomalous_params=True, find_unused_parameters=True
    )
    model.train_step([torch.ones(1, 1)], sgd(model))
    return seen


def test_unused_parameters_are_logged_where_asked() -> None:
    (seen,) = launch(unused_parameters, 1)

    assert [one.split()[0] for one in seen] == ["unused.weight", "unused.bias"]


def plain_module_with_a_lone_tensor() -> float:
    class Plain(nn.Linear):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return super().forward(x).mean()

    plain = Plain(1, 1, bias=False)
    nn.init.ones_(plain.weight)
    model = MMDistributedDataParallel(PlainModel(plain))
    model.train_step(torch.full((1, 1), float(get_rank() + 1)), sgd(model))
    return float(plain.weight.detach())


def test_a_plain_module_trains_over_ranks() -> None:
    assert launch(plain_module_with_a_lone_tensor, 2) == [-0.5, -0.5]


def own_train_step() -> list[str]:
    class Own(Line):
        def train_step(self, data: Any, optim_wrapper: Any) -> Any:
            raise AssertionError("not called")

    seen: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: seen.append(record.getMessage())  # type: ignore[method-assign]
    logging.getLogger("tk.runner").addHandler(handler)
    MMDistributedDataParallel(Own()).train_step([torch.ones(1, 1)], sgd(Line()))
    return seen


def test_a_train_step_that_will_not_be_called_is_told() -> None:
    ((text,),) = launch(own_train_step, 1)

    assert "Own has a train_step() of its own, which is not called" in text


def failing_forward() -> float:
    model = MMDistributedDataParallel(Line())
    optim = sgd(model, accumulative_counts=2)
    try:
        model.train_step([None], optim)
    except TypeError:
        pass
    for _ in range(2):
        model.train_step([torch.full((1, 1), float(get_rank() + 1))], optim)
    return float(model.module.linear.weight.detach())


def test_an_exception_inside_a_step_leaves_a_model_that_synchronises() -> None:
    assert launch(failing_forward, 2) == [-0.5, -0.5]
