"""A model without what wraps or compiles it, at any depth, and the names of its tensors there."""

from __future__ import annotations

import copy
from collections.abc import Iterator

from torch import Tensor, nn

from .wrapping import wrapper_kinds


def bare_model(model: nn.Module) -> nn.Module:
    """The user's own model inside of wrappers and ``torch.compile``; its parts are left alone."""
    return _inside(model, wrapper_kinds())


def bare_copy(model: nn.Module) -> nn.Module:
    """A deep copy of the user's own model in which no part is wrapped or compiled either."""
    kinds = wrapper_kinds()
    memo: dict[int, object] = {}
    for part in reversed(list(model.modules())):  # inner ones first
        inner = _inside(part, kinds)
        if inner is not part:
            memo[id(part)] = copy.deepcopy(inner, memo)
    return copy.deepcopy(_inside(model, kinds), memo)


def bare_tensors(model: nn.Module) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """Parameters and buffers under the names that they have in a `bare_copy`."""
    params: dict[str, Tensor] = {}
    buffers: dict[str, Tensor] = {}
    seen: set[int] = set()
    for prefix, module in _walk(model, "", wrapper_kinds(), set()):
        for found, own in ((params, module._parameters), (buffers, module._buffers)):
            for name, tensor in own.items():
                if tensor is not None and id(tensor) not in seen:
                    seen.add(id(tensor))
                    found[prefix + name] = tensor
    return params, buffers


def _walk(
    module: nn.Module, prefix: str, kinds: tuple[type, ...], seen: set[int]
) -> Iterator[tuple[str, nn.Module]]:
    module = _inside(module, kinds)
    if id(module) in seen:
        return
    seen.add(id(module))
    yield prefix, module
    for name, child in module._modules.items():
        if child is not None:
            yield from _walk(child, f"{prefix}{name}.", kinds, seen)


def _inside(model: nn.Module, kinds: tuple[type, ...]) -> nn.Module:
    while True:
        inner = model._modules.get("_orig_mod")
        if inner is None and isinstance(model, kinds):
            inner = model._modules.get("module")
        if inner is None:
            return model
        model = inner
