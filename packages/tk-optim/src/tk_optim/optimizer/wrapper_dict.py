"""Several wrappers as one, for models with several optimizers.

Who updates what, and in which order, is the model's business: it takes the
wrapper it needs by name.
"""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, KeysView, Mapping, ValuesView
from contextlib import AbstractContextManager
from typing import Any, NoReturn

from torch import Tensor, nn

from tk_logging import MessageHub
from tk_registry import OPTIM_WRAPPERS, did_you_mean

from ..errors import InvalidTypeError, UnknownKeyError, UnsupportedCallError
from .wrapper import OptimWrapper


@OPTIM_WRAPPERS.register_module()
class OptimWrapperDict(OptimWrapper):
    """Wrappers by name.

    Args:
        optim_wrapper_dict: name to wrapper.
    """

    def __init__(self, **optim_wrapper_dict: OptimWrapper) -> None:
        for name, wrapper in optim_wrapper_dict.items():
            if not isinstance(wrapper, OptimWrapper):
                raise InvalidTypeError(
                    f"{name} is a {type(wrapper).__name__}, not an OptimWrapper; "
                    "wrap the optimizer, or build it with build_optim_wrapper"
                )
        self.optim_wrappers = optim_wrapper_dict
        self.freezing = None

    def update_params(
        self,
        loss: Tensor,
        step_kwargs: Mapping[str, Any] | None = None,
        zero_kwargs: Mapping[str, Any] | None = None,
    ) -> None:
        """Refused: which wrapper is meant is not known."""
        self._refuse("update_params")

    def backward(self, loss: Tensor, **kwargs: Any) -> None:
        """Refused: which wrapper is meant is not known."""
        self._refuse("backward")

    def step(self, **kwargs: Any) -> None:
        """Refused: which wrapper is meant is not known."""
        self._refuse("step")

    def optim_context(self, model: Any) -> AbstractContextManager[None]:
        """Refused: which wrapper is meant is not known."""
        self._refuse("optim_context")

    def scale_loss(self, loss: Tensor) -> Tensor:
        """Refused: which wrapper is meant is not known."""
        self._refuse("scale_loss")

    def should_update(self) -> bool:
        """Refused: which wrapper is meant is not known."""
        self._refuse("should_update")

    def should_sync(self) -> bool:
        """Refused: which wrapper is meant is not known."""
        self._refuse("should_sync")

    def zero_grad(self, **kwargs: Any) -> None:
        """Forget the gradients of all of them."""
        for wrapper in self.optim_wrappers.values():
            wrapper.zero_grad(**kwargs)

    def finish_group(
        self,
        step_kwargs: Mapping[str, Any] | None = None,
        zero_kwargs: Mapping[str, Any] | None = None,
    ) -> bool:
        """Update each that has an incomplete group; whether there was one."""
        done = [one.finish_group(step_kwargs, zero_kwargs) for one in self.optim_wrappers.values()]
        return any(done)

    @property
    def has_pending_gradients(self) -> bool:
        """Whether a group of batches of any of them is incomplete."""
        return any(wrapper.has_pending_gradients for wrapper in self.values())

    def initialize_count_status(self, model: nn.Module, init_counts: int, max_counts: int) -> None:
        """Tell each where the run stands; for each, a batch is one call of its ``backward``."""
        for wrapper in self.optim_wrappers.values():
            wrapper.initialize_count_status(model, init_counts, max_counts)

    @property
    def message_hub(self) -> MessageHub:
        """Where the gradient norms go."""
        return next(iter(self.values())).message_hub

    @message_hub.setter
    def message_hub(self, hub: MessageHub) -> None:
        for wrapper in self.values():
            wrapper.message_hub = hub

    @property
    def param_groups(self) -> dict[str, list[dict[str, Any]]]:  # type: ignore[override]  # by name, as users know it
        """The groups of each wrapper, by its name."""
        return {name: wrapper.param_groups for name, wrapper in self.items()}

    @property
    def defaults(self) -> dict[str, Any]:
        """The settings of each optimizer, by its name."""
        return {name: wrapper.defaults for name, wrapper in self.items()}

    def get_lr(self) -> dict[str, list[float]]:
        """As for one wrapper, under ``<name>.lr`` and ``<name>.base_lr``."""
        return {
            f"{name}.{key}": values
            for name, wrapper in self.items()
            for key, values in wrapper.get_lr().items()
        }

    def get_momentum(self) -> dict[str, list[float]]:
        """As for one wrapper, under ``<name>.momentum``."""
        return {
            f"{name}.{key}": values
            for name, wrapper in self.items()
            for key, values in wrapper.get_momentum().items()
        }

    def state_dict(self) -> dict[str, Any]:
        """The state of each, by its name."""
        return {name: wrapper.state_dict() for name, wrapper in self.items()}

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Load the states by name; each must be known, some may be missing."""
        for name, state in state_dict.items():
            self[name].load_state_dict(state)

    def items(self) -> ItemsView[str, OptimWrapper]:
        """Names and wrappers."""
        return self.optim_wrappers.items()

    def values(self) -> ValuesView[OptimWrapper]:
        """The wrappers."""
        return self.optim_wrappers.values()

    def keys(self) -> KeysView[str]:
        """The names."""
        return self.optim_wrappers.keys()

    def __getitem__(self, key: str) -> OptimWrapper:
        if key not in self.optim_wrappers:
            raise UnknownKeyError(
                f"no optimizer wrapper is called {key!r}; {did_you_mean(key, self.optim_wrappers)}"
            )
        return self.optim_wrappers[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.optim_wrappers)

    def __contains__(self, key: str) -> bool:
        return key in self.optim_wrappers

    def __len__(self) -> int:
        return len(self.optim_wrappers)

    def __repr__(self) -> str:
        return "\n".join(f"name: {name}\n{wrapper!r}" for name, wrapper in self.items())

    def _refuse(self, call: str) -> NoReturn:
        names = ", ".join(self.optim_wrappers)
        raise UnsupportedCallError(
            f"{call} of several optimizers does not say which is meant; call it on one of them, "
            f"optim_wrapper[name].{call}(...), with a name of: {names}"
        )
