"""What a run trains with: one wrapper, or several by name.

Whoever deals with all optimizers of a run (its loop, its checkpoints, its log)
speaks to this interface, and never asks which of the two it has.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from torch import nn

from tk_logging import MessageHub

if TYPE_CHECKING:
    from .base import BaseOptimWrapper


class AnyOptimWrapper(ABC):
    """Common base of a single wrapper and of ``OptimWrapperDict``."""

    @property
    @abstractmethod
    def wrappers(self) -> Mapping[str, BaseOptimWrapper]:
        """The wrappers in it, by name; a single wrapper is there under the empty name."""

    @property
    def message_hub(self) -> MessageHub:
        """Where gradient norms go."""
        return next(iter(self.wrappers.values())).message_hub

    @message_hub.setter
    def message_hub(self, hub: MessageHub) -> None:
        for wrapper in self.wrappers.values():
            wrapper.message_hub = hub

    @property
    def has_pending_gradients(self) -> bool:
        """Whether any of them has an incomplete group of batches."""
        return any(wrapper.has_pending_gradients for wrapper in self.wrappers.values())

    def finish_group(
        self,
        step_kwargs: Mapping[str, Any] | None = None,
        zero_kwargs: Mapping[str, Any] | None = None,
    ) -> bool:
        """Update each that has an incomplete group of batches; whether there was one."""
        each = self.wrappers.values()
        updated = [wrapper.finish_group(step_kwargs, zero_kwargs) for wrapper in each]
        return any(updated)

    def initialize_count_status(self, model: nn.Module, init_counts: int, max_counts: int) -> None:
        """Tell each where the run stands; for each, a batch is one call of its ``backward``."""
        for wrapper in self.wrappers.values():
            wrapper.initialize_count_status(model, init_counts, max_counts)

    def zero_grad(self, **kwargs: Any) -> None:
        """Forget the gradients of all of them."""
        for wrapper in self.wrappers.values():
            wrapper.zero_grad(**kwargs)

    @abstractmethod
    def get_lr(self) -> dict[str, list[float]]:
        """The learning rates by name of the value."""

    @abstractmethod
    def get_momentum(self) -> dict[str, list[float]]:
        """The momenta by name of the value."""

    @abstractmethod
    def state_dict(self) -> dict[str, Any]:
        """What a resumed run needs."""

    @abstractmethod
    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Go on from a saved state."""
