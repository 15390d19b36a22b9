"""Several wrappers as one, for models with several optimizers.

Who updates what, and in which order, is the model's business: it takes the
wrapper it needs by name.
"""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, KeysView, Mapping, ValuesView
from typing import Any, NoReturn

from tk_registry import OPTIM_WRAPPERS, did_you_mean

from ..errors import InvalidTypeError, UnknownKeyError, UnsupportedCallError
from .base import AnyOptimWrapper
from .wrapper import OptimWrapper


@OPTIM_WRAPPERS.register_module()
class OptimWrapperDict(AnyOptimWrapper):
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

    @property
    def wrappers(self) -> Mapping[str, OptimWrapper]:
        """The wrappers by name."""
        return self.optim_wrappers

    @property
    def param_groups(self) -> dict[str, list[dict[str, Any]]]:
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

    def __getattr__(self, name: str) -> NoReturn:
        """Say, for what only one wrapper can do, how to call it on one of them."""
        names = ", ".join(vars(self).get("optim_wrappers", ()))
        raise UnsupportedCallError(
            f"several optimizers have no {name!r} together; use it on one of them, "
            f"optim_wrapper[name].{name}, with a name of: {names}"
        )
