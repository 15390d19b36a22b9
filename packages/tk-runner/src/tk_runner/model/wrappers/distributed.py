"""Distributed data parallel with the three steps of a model."""

from __future__ import annotations

import logging
from functools import partial
from typing import Any

from torch import Tensor, nn

from tk_registry import MODEL_WRAPPERS

from ..base_model import BaseModel
from ..steps import call_with, run_train_step
from ..unused import detect_anomalous_params as log_unused_params
from .buffers import with_known_names
from .following import FollowingDataParallel

logger = logging.getLogger("tk.runner")


@MODEL_WRAPPERS.register_module()
class MMDistributedDataParallel(FollowingDataParallel):
    """Averages gradients over ranks in ``train_step``; evaluation goes straight to the model.

    Parameters may be frozen and released on the way.

    Args:
        module: a model with ``parse_losses`` and a data preprocessor.
        detect_anomalous_params: log, at each step, the trainable parameters that the
            loss does not reach.
        **kwargs: of torch's ``DistributedDataParallel``.
    """

    def __init__(
        self, module: nn.Module, detect_anomalous_params: bool = False, **kwargs: Any
    ) -> None:
        super().__init__(module, **with_known_names(kwargs))
        self.detect_anomalous_params = detect_anomalous_params
        own = getattr(type(module), "train_step", BaseModel.train_step)
        if own is not BaseModel.train_step:
            logger.warning(
                "%s has a train_step() of its own, which is not called under "
                "MMDistributedDataParallel; wrap it in MMSeparateDistributedDataParallel, which "
                "calls it",
                type(module).__name__,
            )

    def train_step(self, data: Any, optim_wrapper: Any) -> dict[str, Tensor]:
        """One step of training on this rank's batch; the losses to log come back, unread."""
        return run_train_step(
            self.module,
            data,
            optim_wrapper,
            context=self,
            losses_of=self._losses_of,
            watch=partial(log_unused_params, model=self.module)
            if self.detect_anomalous_params
            else None,
        )

    def _losses_of(self, batch: Any) -> Any:
        takes_lone_tensors = getattr(self.module, "takes_lone_tensors", False)
        if isinstance(batch, Tensor) and takes_lone_tensors:
            batch = (batch,)
        return call_with(self, batch, "loss")

    def val_step(self, data: Any) -> Any:
        """Predictions for a batch of validation data."""
        return self.module.val_step(data)

    def test_step(self, data: Any) -> Any:
        """Predictions for a batch of test data."""
        return self.module.test_step(data)
