"""What a strategy does for a run: place the model, and give its state.

A run speaks with the hardware only through these methods, so that sharded
training is one more implementation and no second runner.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import torch
from torch import nn

from ..model.bare import bare_model
from ..model.sharing import share_state


class BaseStrategy(ABC):
    """Places a model on the hardware and speaks for its state."""

    @property
    @abstractmethod
    def device(self) -> torch.device:
        """Where this rank computes."""

    @abstractmethod
    def place_model(self, model: nn.Module) -> nn.Module:
        """The model on its device, wrapped where ranks must agree on gradients."""

    def unwrap(self, model: nn.Module) -> nn.Module:
        """The user's own model inside of whatever wraps or compiles it."""
        return bare_model(model)

    def share_initial_weights(self, model: nn.Module) -> None:
        """Give every rank the weights of rank 0, and what its modules keep beside them."""
        share_state(self.unwrap(model))

    def model_state_dict(self, model: nn.Module) -> dict[str, Any]:
        """The weights under the names of the user's own model."""
        state: dict[str, Any] = self.unwrap(model).state_dict()
        return state
