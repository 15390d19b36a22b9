"""`BaseInit`: to which layers of a module an initializer applies."""

from __future__ import annotations

from typing import Any

from torch import nn

from ..errors import ModelTypeError
from .layer import bias_init_with_prob
from .record import update_init_info


class BaseInit:
    """Base of the initializers that act layer by layer.

    Args:
        bias: the value of biases.
        bias_prob: makes a bias by `bias_init_with_prob`; wins over ``bias``.
        layer: names of the classes that are initialised; base classes match
            too. ``None`` is every layer.
    """

    def __init__(
        self,
        *,
        bias: float = 0,
        bias_prob: float | None = None,
        layer: str | list[str] | None = None,
    ) -> None:
        if not isinstance(bias, (int, float)):
            raise ModelTypeError(f"bias must be a number, got {bias!r}")
        if bias_prob is not None and not isinstance(bias_prob, float):
            raise ModelTypeError(f"bias_prob must be a float, got {bias_prob!r}")
        if layer is not None and not isinstance(layer, (str, list, tuple)):
            raise ModelTypeError(
                f"layer must be the name of a class or a list of names, got {layer!r}"
            )
        self.wholemodule = layer is None
        self.layer = [layer] if isinstance(layer, str) else list(layer or ())
        self.bias = float(bias) if bias_prob is None else bias_init_with_prob(bias_prob)

    def init_layer(self, module: nn.Module) -> None:
        """Initialise the weight and the bias of this very layer, where it has them."""
        raise NotImplementedError(f"{type(self).__name__} must define init_layer(module)")

    def matches(self, module: nn.Module) -> bool:
        """Whether the layer is one of those that are initialised."""
        return self.wholemodule or any(kind.__name__ in self.layer for kind in type(module).__mro__)

    def __call__(self, module: nn.Module) -> None:
        """Initialise the layers of ``module`` that match, inner ones first."""
        module.apply(self._init_if_meant)
        update_init_info(module, self._get_init_info())

    def _init_if_meant(self, module: nn.Module) -> None:
        if self.matches(module):
            self.init_layer(module)

    def _get_init_info(self) -> str:
        return repr(self)

    def __repr__(self) -> str:
        shown: dict[str, Any] = {
            name: value
            for name, value in vars(self).items()
            if name not in ("wholemodule", "layer")
        }
        return f"{type(self).__name__}({', '.join(f'{k}={v}' for k, v in shown.items())})"
