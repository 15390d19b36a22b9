"""What a run trains with, one wrapper or several by name, and what a single one promises.

Whoever deals with all optimizers of a run (its loop, its checkpoints, its log)
speaks to `AnyOptimWrapper` and never asks which of the two it has. The
parameter groups of a wrapper are those of its optimizer, no more and no less.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from torch import Tensor, nn
from torch.optim import Optimizer

from tk_logging import MessageHub

from ..chain import keep_bases, scheduled
from ..errors import InvalidTypeError
from .freezing import Freezing
from .saved_state import KIND, NAMES, Layout, SavedState, fit, options_of, report_changes


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

    def name_parameters(self, model: nn.Module) -> None:
        """Note the names of the parameters of each, so that a saved state finds them again."""
        for wrapper in self.wrappers.values():
            wrapper.name_parameters(model)

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


class BaseOptimWrapper(AnyOptimWrapper):
    """One interface over optimizers of every kind.

    Args:
        optimizer: the torch optimizer that is wrapped; it stays usable by itself.

    Attributes:
        freezing: rules of what is frozen until when, where the constructor was
            given some.
        update_count: updates done since this object was built; who makes them counts them.
    """

    freezing: Freezing | None = None
    update_count: int = 0

    def __init__(self, optimizer: Optimizer) -> None:
        if not isinstance(optimizer, Optimizer):
            raise InvalidTypeError(
                f"a wrapper needs a torch optimizer, got {type(optimizer).__name__}; "
                "build it first, or use build_optim_wrapper with a config"
            )
        self.optimizer = optimizer
        self._hub: MessageHub | None = None
        self._name_of: dict[Tensor, str] = {}

    @property
    def wrappers(self) -> Mapping[str, BaseOptimWrapper]:
        """This one alone, without a name."""
        return {"": self}

    @property
    def message_hub(self) -> MessageHub:
        """Where the gradient norm goes: the hub that was set, else the current one."""
        return MessageHub.get_current_instance() if self._hub is None else self._hub

    @message_hub.setter
    def message_hub(self, hub: MessageHub) -> None:
        self._hub = hub

    @property
    def accumulative_counts(self) -> int:
        """Batches of one update."""
        return 1

    @property
    def has_pending_gradients(self) -> bool:
        """Whether gradients wait for more batches; without accumulation they never do."""
        return False

    def finish_group(
        self,
        step_kwargs: Mapping[str, Any] | None = None,
        zero_kwargs: Mapping[str, Any] | None = None,
    ) -> bool:
        """Update with gradients that wait for more batches; whether there were any."""
        return False

    def initialize_count_status(self, model: nn.Module, init_counts: int, max_counts: int) -> None:
        """Say where the run stands, for a wrapper that counts batches."""

    @abstractmethod
    def update_params(self, *args: Any, **kwargs: Any) -> None:
        """From a loss to new parameters: backward, step and zeroing, when they are due."""

    @abstractmethod
    def backward(self, loss: Tensor, **kwargs: Any) -> None:
        """Add the gradients of ``loss``."""

    @abstractmethod
    def zero_grad(self, **kwargs: Any) -> None:
        """Forget the gradients."""

    @abstractmethod
    def step(self, **kwargs: Any) -> None:
        """Change the parameters by their gradients."""

    @property
    def param_groups(self) -> list[dict[str, Any]]:
        """The optimizer's own groups."""
        return self.optimizer.param_groups

    @property
    def defaults(self) -> dict[str, Any]:
        """The optimizer's settings where a group says nothing."""
        return self.optimizer.defaults

    def name_parameters(self, model: nn.Module) -> None:
        """Note the names of the parameters, so that a saved state finds them again by name."""
        self._name_of = {param: name for name, param in model.named_parameters()}

    def state_dict(self) -> dict[str, Any]:
        """The optimizer's state, which a bare optimizer can load, with its kind and the names."""
        state = self.optimizer.state_dict()
        if not state:  # a rank that leaves saving to another one
            return state
        state[KIND] = type(self.optimizer).__name__
        if (names := self._layout()) is not None:
            state[NAMES] = names
        return state

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Load the state of any wrapper or of a bare optimizer; the mapping is left as it is.

        Parameters are found by name where both sides know names, else by
        position. Options of the groups are those of the saved state, except
        for what schedules drive; what differs from this run's is logged.

        Raises:
            InvalidSettingError: it is the state of another optimizer or of other parameters.
        """
        before = options_of(self.param_groups)
        saved = fit(SavedState.of(state_dict), self.optimizer, self._layout())
        self.optimizer.load_state_dict(saved)
        report_changes(self.optimizer, before, keep_bases(self.optimizer))

    def _layout(self) -> Layout | None:
        """The names of the parameters by group; None where one is not known."""
        groups = [group["params"] for group in self.param_groups]
        if any(param not in self._name_of for params in groups for param in params):
            return None
        return [[self._name_of[param] for param in params] for params in groups]

    def get_lr(self) -> dict[str, list[float]]:
        """``lr``: the learning rate of each group.

        With several groups also ``base_lr``: one value, what a group without
        options of its own has now, under the same schedules.
        """
        groups = self.optimizer.param_groups
        if len(groups) == 1:  # the usual case, at each step
            return {"lr": [groups[0]["lr"]] if "lr" in groups[0] else []}
        found = {"lr": [group["lr"] for group in groups if "lr" in group]}
        if "lr" in self.defaults:
            base = float(self.defaults["lr"])
            found["base_lr"] = [scheduled(self.optimizer, "lr", base)]
        return found

    def get_momentum(self) -> dict[str, list[float]]:
        """``momentum``: of each group, which is the first beta where there are betas, else 0."""
        return {"momentum": [_momentum(group) for group in self.param_groups]}


def _momentum(group: Mapping[str, Any]) -> float:
    if "momentum" in group:
        return float(group["momentum"])
    return float(group["betas"][0]) if "betas" in group else 0
