"""Clipping of gradients, by norm or by value, and their norm before and after.

Nothing here reads from the device: norms are tensors where the gradients are.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.utils import clip_grad_norm_, clip_grad_value_, get_total_norm

from tk_registry import did_you_mean, more_than

from ..errors import InvalidSettingError

_FUNCTIONS: dict[str, Callable[..., Any]] = {"norm": clip_grad_norm_, "value": clip_grad_value_}


@dataclass(frozen=True)
class Clipping:
    """One way to clip: ``norm`` or ``value``, with the arguments of torch's function."""

    kind: str
    options: Mapping[str, Any]

    @classmethod
    def from_settings(cls, settings: Any) -> Clipping:
        """Read ``clip_grad`` of a config; the mapping is left as it is."""
        if not isinstance(settings, Mapping) or not settings:
            raise InvalidSettingError(
                f"clip_grad={settings!r}: give a dict such as dict(max_norm=1.0), or None"
            )
        kind = settings.get("type", "norm")
        options = {key: value for key, value in settings.items() if key != "type"}
        if kind not in _FUNCTIONS:
            raise InvalidSettingError(f"clip_grad type={kind!r}: give 'norm' or 'value'")
        allowed = list(inspect.signature(_FUNCTIONS[kind]).parameters)[1:]
        for name in options:
            if name not in allowed:
                raise InvalidSettingError(
                    f"clip_grad has no option {name!r} with type={kind!r}; "
                    f"{did_you_mean(name, allowed)}"
                )
        limit = {"norm": "max_norm", "value": "clip_value"}[kind]
        if limit not in options:
            raise InvalidSettingError(
                f"clip_grad of type {kind!r} gives no limit; add {limit}, e.g. {limit}=1.0"
            )
        if not more_than(0).fits(options[limit]):
            raise InvalidSettingError(
                f"clip_grad {limit} must be a number above 0, got {options[limit]!r}"
            )
        return cls(kind, options)

    def apply(self, params: Sequence[nn.Parameter]) -> tuple[Tensor, Tensor]:
        """Clip the gradients in place; their norm before and after, unread.

        Args:
            params: at least one, each with a gradient.
        """
        if self.kind == "value":
            return self._by_value(params)
        limit = float(self.options["max_norm"])
        before = _whole(clip_grad_norm_(params, **self.options))
        # What the clipping does to the norm, in two small kernels instead of a second pass over
        # all gradients: at most the limit. A norm of inf leaves gradients of nan, which
        # 0 * inf says.
        return before, torch.lerp(before.clamp(max=limit), before, 0.0)

    def _by_value(self, params: Sequence[nn.Parameter]) -> tuple[Tensor, Tensor]:
        grads = [param.grad for param in params if param.grad is not None]
        before = _whole(get_total_norm(grads))
        clip_grad_value_(params, **self.options)
        return before, _whole(get_total_norm(grads))


def _whole(norm: Tensor) -> Tensor:
    """The norm over all shards, where parameters are sharded."""
    return norm.full_tensor() if hasattr(norm, "full_tensor") else norm
