from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import nn

from tk_optim import OptimWrapper
from tk_registry import MODELS
from tk_runner.model import BaseDataPreprocessor, BaseModel, PlainModel, Sequential, as_trainable


class Plain(nn.Module):
    """Returns what it is told to make of its loss."""

    def __init__(self, answer: Any) -> None:
        super().__init__()
        self.linear = nn.Linear(1, 1)
        self.answer = answer

    def forward(self, x: torch.Tensor, scale: float = 1) -> Any:
        return self.answer(self.linear(x).mean() * scale)


ANSWERS = {
    "a loss": lambda loss: loss,
    "a mapping": lambda loss: {"loss": loss, "logits": torch.ones(3)},
    "several losses": lambda loss: {"loss_a": loss, "loss_b": loss},
    "an object": lambda loss: SimpleNamespace(loss=loss, logits=None),
}


@pytest.mark.parametrize("name", ANSWERS)
@pytest.mark.parametrize("batch", [torch.ones(2, 1), [torch.ones(2, 1)], {"x": torch.ones(2, 1)}])
def test_a_module_that_returns_a_loss_trains(name: str, batch: Any) -> None:
    model = as_trainable(Plain(ANSWERS[name]))
    wrapper = OptimWrapper(torch.optim.SGD(model.parameters(), lr=0.1))
    before = model.module.linear.weight.clone()

    log = model.train_step(batch, wrapper)

    assert next(iter(log)) == "loss"
    assert not torch.equal(model.module.linear.weight, before)


def test_evaluation_gives_what_the_module_gives() -> None:
    model = as_trainable(Plain(ANSWERS["a mapping"]))

    assert set(model.val_step([torch.ones(2, 1)])) == {"loss", "logits"}
    assert set(model.test_step({"x": torch.ones(2, 1)})) == {"loss", "logits"}


def test_a_loss_called_loss_is_the_whole_of_it() -> None:
    model = as_trainable(Plain(lambda loss: {"loss": loss + 3, "aux_loss": loss, "loss_dict": {}}))

    total, log = model.parse_losses(model(torch.ones(1, 1), mode="loss"))

    assert float(total.detach()) == float(log["loss"])
    assert float(log["loss"]) == pytest.approx(float(log["aux_loss"]) + 3)
    assert list(log) == ["loss", "aux_loss"]


@pytest.mark.parametrize("answer", [torch.ones(3), {"logits": torch.ones(1)}, None, {"loss": None}])
def test_a_module_without_a_loss_is_told_what_to_return(answer: Any) -> None:
    model = as_trainable(Plain(lambda loss: answer))

    with pytest.raises(TypeError, match=r"Plain returned a .* without a loss in training; return"):
        model(torch.ones(1, 1), mode="loss")


def test_weights_keep_their_names() -> None:
    plain = Plain(ANSWERS["a loss"])
    model = as_trainable(plain, {"type": "ImgDataPreprocessor", "mean": [1], "std": [1]})

    assert list(model.state_dict()) == list(plain.state_dict())
    assert model.state_dict()._metadata.keys() >= plain.state_dict()._metadata.keys()
    other = as_trainable(Plain(None))
    assert other.load_state_dict(plain.state_dict()).missing_keys == []
    assert torch.equal(other.module.linear.weight, plain.linear.weight)
    holder = nn.ModuleDict({"inner": model})
    assert list(holder.state_dict()) == ["inner.linear.weight", "inner.linear.bias"]
    holder.load_state_dict(holder.state_dict())


def test_parts_of_the_module_may_be_called_as_those_of_its_wrapper() -> None:
    parts = {"module": nn.Linear(1, 1), "data_preprocessor": nn.Linear(1, 1)}
    plain = nn.ModuleDict(parts)
    model = as_trainable(plain)

    result = model.load_state_dict(plain.state_dict())

    assert list(model.state_dict()) == list(plain.state_dict())
    assert result.missing_keys == result.unexpected_keys == []


def test_what_is_not_in_the_module_is_reported_on_loading() -> None:
    result = as_trainable(Plain(None)).load_state_dict({"other": torch.ones(1)}, strict=False)

    assert result.unexpected_keys == ["module.other"]
    assert len(result.missing_keys) == 2


def test_weights_of_a_plain_module_are_not_initialised_again() -> None:
    class Pretrained(nn.Linear):
        def init_weights(self) -> None:
            raise AssertionError("it has its weights")

    model = as_trainable(Pretrained(1, 1))
    model.init_weights()

    assert model.is_init


def test_base_modules_inside_are_initialised() -> None:
    ones = {"type": "Constant", "val": 1, "layer": "Linear"}
    inner = Sequential(nn.Linear(1, 1), init_cfg=ones)

    as_trainable(nn.ModuleDict({"inner": inner})).init_weights()
    assert float(inner[0].weight.detach()) == 1

    inner = Sequential(nn.Linear(1, 1), init_cfg=ones)
    as_trainable(inner).init_weights()
    assert float(inner[0].weight.detach()) == 1


def test_it_can_be_named_in_a_config() -> None:
    MODELS.register_module(name="PlainOfATest", module=Plain, force=True)

    built = MODELS.build({"type": "PlainModel", "module": {"type": "PlainOfATest", "answer": None}})

    assert isinstance(built, PlainModel)
    assert isinstance(built.module, Plain)


def test_a_model_that_trains_is_taken_as_it_is() -> None:
    class Own(BaseModel):
        def forward(self, *args: Any, **kwargs: Any) -> Any:
            return None

    model, preprocessor = Own(), BaseDataPreprocessor()

    assert as_trainable(model, preprocessor) is model
    assert model.data_preprocessor is preprocessor


def test_a_wrapper_that_makes_no_step_is_refused() -> None:
    with pytest.raises(TypeError, match="DataParallel makes no train step; hand over the model"):
        as_trainable(nn.DataParallel(nn.Linear(1, 1)))
