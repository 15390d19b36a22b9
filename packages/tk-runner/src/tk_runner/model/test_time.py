"""Several views of a sample, predicted and merged: augmentation at test time."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

from torch import nn

from tk_registry import MODELS

from .base_model import BaseModel
from .errors import ModelSettingsError, ModelTypeError


class BaseTTAModel(BaseModel):
    """Predicts each augmentation of a batch and merges what belongs to one sample.

    Args:
        module: a model with ``test_step``, or its config.
        data_preprocessor: of `BaseModel`; the module's own does the work.
    """

    def __init__(
        self,
        module: nn.Module | Mapping[str, Any],
        data_preprocessor: nn.Module | Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(data_preprocessor)
        if isinstance(module, Mapping):
            module = MODELS.build(module)
        if not isinstance(module, nn.Module):
            raise ModelTypeError(f"module is a model or its config, got {type(module).__name__}")
        if not hasattr(module, "test_step"):
            raise ModelSettingsError(
                f"{type(module).__name__} has no test_step(); derive it from tk_runner.BaseModel"
            )
        self.module: Any = module

    @abstractmethod
    def merge_preds(self, data_samples_list: list[list[Any]]) -> list[Any]:
        """One prediction for each sample, out of those of all its augmentations.

        Args:
            data_samples_list: for each sample, its predictions by augmentation.
        """

    def test_step(self, data: Any) -> list[Any]:
        """Merged predictions for a batch.

        Args:
            data: a mapping or a list of fields; each holds, by augmentation, what
                the module's ``test_step`` gets.

        Raises:
            ModelTypeError: it is neither.
            ModelSettingsError: numbers of augmentations or of predictions differ.
        """
        predictions = [self.module.test_step(view) for view in _views(data)]
        counts = [len(one) for one in predictions]
        if len(set(counts)) > 1:
            raise ModelSettingsError(
                f"the augmentations of one batch gave {counts} predictions; each must give one "
                "for each sample"
            )
        return self.merge_preds([list(one) for one in zip(*predictions, strict=True)])

    def forward(self, inputs: Any, data_samples: Any = None, mode: str = "tensor") -> Any:
        """Refused: only ``test_step`` knows the augmentations.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError(
            f"{type(self).__name__} only tests, by test_step(); call forward() of its .module"
        )


def _views(data: Any) -> list[Any]:
    """The batch of each augmentation."""
    if isinstance(data, Mapping):
        count = _common_length(data, data.values())
        return [{key: value[index] for key, value in data.items()} for index in range(count)]
    if isinstance(data, (list, tuple)):
        count = _common_length(range(len(data)), data)
        return [[value[index] for value in data] for index in range(count)]
    raise ModelTypeError(
        f"a batch of augmentations is a dict, a list or a tuple, got {type(data).__name__}"
    )


def _common_length(names: Any, values: Any) -> int:
    lengths = {
        name: len(value) if hasattr(value, "__len__") else type(value).__name__
        for name, value in zip(names, values, strict=True)
    }
    count = next(iter(lengths.values()), None)
    if not isinstance(count, int) or len(set(lengths.values())) != 1:
        raise ModelSettingsError(
            f"every field has one entry for each augmentation, but their numbers are {lengths}; "
            "let the pipeline give every sample equally many"
        )
    return count
