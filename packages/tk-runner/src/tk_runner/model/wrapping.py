"""Whether a model is wrapped, by the classes that are registered as wrappers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from torch import nn
from torch.nn.parallel import DataParallel, DistributedDataParallel

from tk_registry import MODEL_WRAPPERS, Registry

MODEL_WRAPPERS.register_module(module=DataParallel)
MODEL_WRAPPERS.register_module(module=DistributedDataParallel)


def is_model_wrapper(model: nn.Module, registry: Registry[Any] = MODEL_WRAPPERS) -> bool:
    """Whether ``model`` is of a registered wrapper class, here or in a child registry."""
    return isinstance(model, wrapper_kinds(registry))


def wrapper_kinds(registry: Registry[Any] = MODEL_WRAPPERS) -> tuple[type, ...]:
    """The classes that are registered as wrappers."""
    return tuple(_kinds(registry))


def _kinds(registry: Registry[Any]) -> Iterator[type]:
    yield from (kind for kind in registry.module_dict.values() if isinstance(kind, type))
    for child in registry.children.values():
        yield from _kinds(child)
