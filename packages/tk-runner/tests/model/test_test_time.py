from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

from tk_registry import MODELS
from tk_runner.model import BaseModel, BaseTTAModel


class Doubling(BaseModel):
    def forward(self, inputs: Any, data_samples: Any = None, mode: str = "tensor") -> Any:
        return [2 * one for one in inputs]


class Mean(BaseTTAModel):
    def merge_preds(self, data_samples_list: list[list[Any]]) -> list[Any]:
        assert all(isinstance(one, list) for one in data_samples_list)
        return [sum(views) / len(views) for views in data_samples_list]


# two samples in three augmentations
VIEWS = [torch.tensor([1.0, 10.0]), torch.tensor([2.0, 20.0]), torch.tensor([3.0, 30.0])]


@pytest.mark.parametrize(
    "data",
    [{"inputs": VIEWS, "data_samples": [None] * 3}, [VIEWS, [None] * 3], (VIEWS, [None] * 3)],
    ids=["dict", "list", "tuple"],
)
def test_the_augmentations_of_each_sample_are_merged(data: Any) -> None:
    assert Mean(Doubling()).test_step(data) == [4, 40]


def test_the_model_comes_by_config_too() -> None:
    MODELS.register_module(name="DoublingOfATest", module=Doubling, force=True)

    assert isinstance(Mean({"type": "DoublingOfATest"}).module, Doubling)


def test_what_is_no_model_is_refused() -> None:
    with pytest.raises(TypeError, match="module is a model or its config, got int"):
        Mean(3)  # type: ignore[arg-type]
    with pytest.raises(AssertionError, match=r"Linear has no test_step\(\)"):
        Mean(nn.Linear(1, 1))


def test_unequal_numbers_of_augmentations_are_told() -> None:
    with pytest.raises(ValueError, match=r"\{'inputs': 3, 'data_samples': 2\}"):
        Mean(Doubling()).test_step({"inputs": VIEWS, "data_samples": [None] * 2})
    with pytest.raises(ValueError, match=r"\{0: 'NoneType'\}"):
        Mean(Doubling()).test_step([None])
    with pytest.raises(ValueError, match=r"numbers are \{\}"):
        Mean(Doubling()).test_step({})


def test_unequal_numbers_of_predictions_are_told() -> None:
    uneven = [torch.ones(2), torch.ones(1)]

    with pytest.raises(ValueError, match=r"gave \[2, 1\] predictions"):
        Mean(Doubling()).test_step({"inputs": uneven})


def test_data_of_another_kind_is_refused() -> None:
    with pytest.raises(TypeError, match="a dict, a list or a tuple, got Tensor"):
        Mean(Doubling()).test_step(torch.ones(1))


def test_it_only_tests() -> None:
    with pytest.raises(NotImplementedError, match="Mean only tests"):
        Mean(Doubling())(VIEWS)
    with pytest.raises(TypeError, match="abstract"):
        BaseTTAModel(Doubling())  # type: ignore[abstract]
