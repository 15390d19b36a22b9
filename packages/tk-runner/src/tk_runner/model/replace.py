"""Layers exchanged for others, wherever a model keeps them; all else is not touched."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import nn

_OF_TORCH = frozenset(vars(nn.Module()))  # tables of every module; children have their own turn


def replace_layers(module: nn.Module, make: Callable[[nn.Module], nn.Module | None]) -> nn.Module:
    """``module`` with what ``make`` gives for each layer in its place; itself where that is None.

    A layer that stands at several places is exchanged for one and the same, also in
    plain lists, tuples and dicts that modules keep beside their children.
    """
    new: dict[int, nn.Module] = {}
    old = list(module.modules())  # keeps ids alive while they are keys
    for layer in old:
        made = make(layer)
        if made is not None:
            made.train(layer.training)
            new[id(layer)] = made
    if not new:
        return module
    for parent in old:
        for name, child in parent._modules.items():
            if id(child) in new:
                parent._modules[name] = new[id(child)]
        for name, value in list(vars(parent).items()):
            if name not in _OF_TORCH:
                exchanged = _exchanged(value, new, set())
                if exchanged is not value:
                    vars(parent)[name] = exchanged
    return new.get(id(module), module)


def _exchanged(value: Any, new: dict[int, nn.Module], seen: set[int]) -> Any:
    if isinstance(value, nn.Module):
        return new.get(id(value), value)
    if isinstance(value, (list, dict)) and id(value) not in seen:
        seen.add(id(value))  # containers may hold themselves
        for key, one in enumerate(value) if isinstance(value, list) else list(value.items()):
            exchanged = _exchanged(one, new, seen)
            if exchanged is not one:
                value[key] = exchanged
    elif type(value) is tuple:
        entries = tuple(_exchanged(one, new, seen) for one in value)
        if any(one is not other for one, other in zip(entries, value, strict=True)):
            return entries
    return value
