"""A plain module as a model that trains: what it returns is understood, not changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from torch import Tensor, nn

from tk_registry import MODELS

from .base_model import BaseModel, build_preprocessor
from .errors import ModelTypeError
from .losses import TOTAL, is_loss, logged, one_value, parse_losses
from .module import BaseModule, base_modules_in
from .steps import call_with
from .transparent import TransparentModule
from .wrapping import is_model_wrapper


@MODELS.register_module()
class PlainModel(BaseModel, TransparentModule):
    """Trains a module that returns its loss: a tensor, a mapping or an object with ``loss``.

    In training the module is called with the batch; in evaluation likewise, and
    what it returns is the prediction. Its weights keep their names in state
    dicts, and ``init_weights`` leaves them as they are.

    Args:
        module: any module, or its config.
        data_preprocessor: as for `BaseModel`.
    """

    takes_lone_tensors = True  # a batch may be one tensor

    def __init__(
        self, module: nn.Module | Mapping[str, Any], data_preprocessor: Any = None
    ) -> None:
        super().__init__(data_preprocessor)
        self.module = MODELS.build(module) if isinstance(module, Mapping) else module

    def forward(self, *args: Any, mode: str = "tensor", **kwargs: Any) -> Any:
        """Call the module; in mode ``loss`` find the losses in what it returns."""
        outputs = self.module(*args, **kwargs)
        return losses_in(outputs, self.module) if mode == "loss" else outputs

    def parse_losses(self, losses: Mapping[str, Any]) -> tuple[Tensor, dict[str, Tensor]]:
        """The total and what to log: an entry called ``loss`` is the total, else all are added."""
        if TOTAL not in losses:
            return parse_losses(losses)
        values = {name: one_value(name, loss) for name, loss in losses.items()}
        return values[TOTAL], logged(values[TOTAL], values)

    def init_weights(self) -> None:
        """Initialise the `BaseModule`s inside; the rest has its weights."""
        if any(True for _ in self._children_to_initialise()):
            super().init_weights()
        self.is_init = True

    def _run_forward(self, data: Any, mode: str) -> Any:
        batch = (data,) if isinstance(data, Tensor) else data
        return call_with(self, batch, mode)

    def _children_to_initialise(self) -> Iterator[BaseModule]:
        return base_modules_in(self)


def losses_in(outputs: Any, module: nn.Module) -> dict[str, Any]:
    """The losses in what a module returned.

    Raises:
        ModelTypeError: there is none.
    """
    if isinstance(outputs, Tensor) and outputs.numel() == 1:
        return {TOTAL: outputs}
    if isinstance(outputs, Mapping):
        losses = {str(k): v for k, v in outputs.items() if is_loss(str(k)) and v is not None}
        if TOTAL in losses:  # what else bears the name is part of it already
            losses = {k: v for k, v in losses.items() if k == TOTAL or isinstance(v, Tensor)}
    else:
        losses = {TOTAL: outputs.loss} if getattr(outputs, TOTAL, None) is not None else {}
    if not losses:
        raise ModelTypeError(
            f"{type(module).__name__} returned a {type(outputs).__name__} without a loss in "
            "training; return a loss, a dict with one, or an object with .loss, or derive the "
            "model from tk_runner.BaseModel"
        )
    return losses


def as_trainable(model: nn.Module, data_preprocessor: Any = None) -> nn.Module:
    """``model`` itself where it can make a train step, else behind `PlainModel`.

    Raises:
        ModelTypeError: a wrapper that cannot make one, such as torch's.
    """
    if not hasattr(model, "train_step"):
        if is_model_wrapper(model):
            raise ModelTypeError(
                f"{type(model).__name__} makes no train step; hand over the model itself, or wrap "
                "it in MMDistributedDataParallel"
            )
        return PlainModel(model, data_preprocessor)
    if data_preprocessor is not None:
        model.data_preprocessor = build_preprocessor(data_preprocessor)
    return model
