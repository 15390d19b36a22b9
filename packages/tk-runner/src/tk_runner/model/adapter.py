"""A plain module as a model that trains: what it returns is understood, not changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch import Tensor, nn

from .base_model import BaseModel, build_preprocessor


class PlainModel(BaseModel):
    """Trains a module that returns its loss: a tensor, a mapping or an object with ``loss``.

    In training the module is called with the batch; in evaluation likewise, and
    what it returns is the prediction.

    Args:
        module: any module.
        data_preprocessor: as for `BaseModel`.
    """

    def __init__(self, module: nn.Module, data_preprocessor: Any = None) -> None:
        super().__init__(data_preprocessor)
        self.module = module

    def forward(self, *args: Any, mode: str = "tensor", **kwargs: Any) -> Any:  # type: ignore[override]
        """Call the module; in mode ``loss`` find the losses in what it returns."""
        outputs = self.module(*args, **kwargs)
        return losses_in(outputs, self.module) if mode == "loss" else outputs

    def _run_forward(self, data: Any, mode: str) -> Any:
        return (
            self(data, mode=mode) if isinstance(data, Tensor) else super()._run_forward(data, mode)
        )


def losses_in(outputs: Any, module: nn.Module) -> dict[str, Any]:
    """The losses in what a module returned.

    Raises:
        TypeError: there is none.
    """
    if isinstance(outputs, Tensor) and outputs.numel() == 1:
        return {"loss": outputs}
    if isinstance(outputs, Mapping):
        losses = {str(name): value for name, value in outputs.items() if "loss" in str(name)}
    else:
        losses = {"loss": outputs.loss} if getattr(outputs, "loss", None) is not None else {}
    if not losses:
        raise TypeError(
            f"{type(module).__name__} returned a {type(outputs).__name__} without a loss in "
            "training; return a loss, a dict with one, or an object with .loss, or derive the "
            "model from tk_runner.BaseModel"
        )
    return losses


def as_trainable(model: nn.Module, data_preprocessor: Any = None) -> nn.Module:
    """``model`` itself where it can make a train step, else behind `PlainModel`."""
    if not hasattr(model, "train_step"):
        return PlainModel(model, data_preprocessor)
    if data_preprocessor is not None:
        model.data_preprocessor = build_preprocessor(data_preprocessor)
    return model
