"""Distributed data parallel with the three steps of a model."""

from __future__ import annotations

from typing import Any

from torch import Tensor
from torch.nn.parallel import DistributedDataParallel

from tk_registry import MODEL_WRAPPERS


@MODEL_WRAPPERS.register_module()
class MMDistributedDataParallel(DistributedDataParallel):
    """Averages gradients over ranks in ``train_step``; evaluation goes straight to the model."""

    def train_step(self, data: Any, optim_wrapper: Any) -> dict[str, Tensor]:
        """One step of training on this rank's batch; the losses to log come back, unread."""
        with optim_wrapper.optim_context(self):
            data = self.module.data_preprocessor(data, True)
            losses = self._run_forward(data)
        total, log_vars = self.module.parse_losses(losses)
        optim_wrapper.update_params(total)
        return log_vars

    def _run_forward(self, data: Any) -> Any:
        if isinstance(data, dict):
            return self(**data, mode="loss")
        if isinstance(data, (list, tuple)):
            return self(*data, mode="loss")
        return self(data, mode="loss")

    def val_step(self, data: Any) -> Any:
        """Predictions for a batch of validation data."""
        return self.module.val_step(data)

    def test_step(self, data: Any) -> Any:
        """Predictions for a batch of test data."""
        return self.module.test_step(data)
