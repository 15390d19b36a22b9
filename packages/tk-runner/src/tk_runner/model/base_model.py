"""`BaseModel`: a module with a train step, a validation step and a test step."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from functools import partial
from typing import Any

from torch import Tensor, nn

from tk_registry import MODELS

from .errors import ModelTypeError
from .losses import parse_losses
from .module import BaseModule
from .preprocessor import BaseDataPreprocessor
from .steps import call_with, run_train_step


class BaseModel(BaseModule):
    """Base of models that train by themselves.

    ``forward`` gets a batch and a mode: ``"loss"`` returns a dict of losses,
    ``"predict"`` predictions, ``"tensor"`` whatever the network gives.

    Args:
        data_preprocessor: batches to the device, and what else must happen to
            them there; a module or its config.
        init_cfg: how weights are initialised; see `BaseModule`.
    """

    def __init__(
        self,
        data_preprocessor: nn.Module | Mapping[str, Any] | None = None,
        init_cfg: Mapping[str, Any] | list[Mapping[str, Any]] | None = None,
    ) -> None:
        super().__init__(init_cfg)
        self.data_preprocessor = build_preprocessor(data_preprocessor)

    def train_step(self, data: Any, optim_wrapper: Any) -> dict[str, Tensor]:
        """One step of training on a batch; the losses to log come back, unread."""
        losses_of = partial(self._run_forward, mode="loss")
        return run_train_step(self, data, optim_wrapper, context=self, losses_of=losses_of)

    def val_step(self, data: Any) -> Any:
        """Predictions for a batch of validation data."""
        return self._run_forward(self.data_preprocessor(data, False), mode="predict")

    def test_step(self, data: Any) -> Any:
        """Predictions for a batch of test data."""
        return self._run_forward(self.data_preprocessor(data, False), mode="predict")

    def parse_losses(self, losses: Mapping[str, Any]) -> tuple[Tensor, dict[str, Tensor]]:
        """The total to descend and what to log; see `tk_runner.model.parse_losses`."""
        return parse_losses(losses)

    @abstractmethod
    def forward(self, inputs: Any, data_samples: Any = None, mode: str = "tensor") -> Any:
        """What the model does with a preprocessed batch; see the class."""

    def _run_forward(self, data: Any, mode: str) -> Any:
        return call_with(self, data, mode)


def build_preprocessor(preprocessor: Any) -> nn.Module:
    """A data preprocessor out of one, its config, or nothing.

    Raises:
        ModelTypeError: it is none of these.
    """
    if isinstance(preprocessor, nn.Module):
        return preprocessor
    if preprocessor is None:
        return BaseDataPreprocessor()
    if isinstance(preprocessor, Mapping):
        built: nn.Module = MODELS.build(preprocessor, default_args={"type": "BaseDataPreprocessor"})
        return built
    raise ModelTypeError(
        f"data_preprocessor is a module or its config, got {type(preprocessor).__name__}"
    )
