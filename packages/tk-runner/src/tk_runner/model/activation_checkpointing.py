"""Trading time for memory: named sub-modules compute their activations again in backward."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, update_wrapper
from typing import Any

from torch import nn
from torch.utils.checkpoint import checkpoint

from tk_registry import did_you_mean

from ..errors import InvalidSettingsError


def turn_on_activation_checkpointing(model: nn.Module, modules: Sequence[str] | str) -> None:
    """Let the named sub-modules of ``model`` keep no activations.

    Raises:
        InvalidSettingsError: a name that is no sub-module of the model.
    """
    if not isinstance(modules, Sequence):
        raise InvalidSettingsError(
            f"activation_checkpointing must be names of modules, got {modules!r}"
        )
    names = [modules] if isinstance(modules, str) else list(modules)
    known = dict(model.named_modules())
    unknown = [name for name in names if name not in known]
    if unknown:
        hints = [f"{name}: {did_you_mean(name, known)}" for name in unknown]
        raise InvalidSettingsError(f"activation_checkpointing names no module: {'; '.join(hints)}")
    for name in names:
        module = known[name]
        module.forward = _Recomputed(module.forward)


class _Recomputed:
    """A module's ``forward`` that keeps no activations.

    It holds the bound method, so that a deep copy of the module gets a deep copy
    of this, bound to the copied module.
    """

    def __init__(self, forward: Callable[..., Any]) -> None:
        update_wrapper(self, forward)
        self._forward = forward

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return checkpoint(partial(self._forward, **kwargs), *args, use_reentrant=False)
