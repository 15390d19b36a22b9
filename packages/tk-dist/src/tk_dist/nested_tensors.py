"""Nested data: on which device it is, and moving it to another.

A nest is tensors in mappings and iterables, to any depth. The containers are
rebuilt by their own type; a string, a number or an array in a nest is refused,
because silently leaving it behind would be a surprise.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping
from typing import Any, TypeVar, cast

import torch
from torch import Tensor

from .errors import DataTypeError, DeviceError

Nest = TypeVar("Nest")


def get_data_device(data: Tensor | Mapping[Any, Any] | Iterable[Any]) -> torch.device:
    """Return the one device on which all tensors of a nest are.

    Raises:
        DeviceError: the nest is empty, or its tensors are on several devices.
        DataTypeError: something in it is neither a tensor nor a container.
    """
    devices = list(dict.fromkeys(tensor.device for tensor in _tensors(data)))
    if not devices:
        raise DeviceError("data without a tensor is on no device; check that it is filled")
    if len(devices) > 1:
        raise DeviceError(
            f"the data is on several devices: {', '.join(map(str, devices))}; "
            "move it to one of them first, with tk_dist.cast_data_device"
        )
    return devices[0]


def cast_data_device(data: Nest, device: torch.device | str, out: Nest | None = None) -> Nest:
    """Return a nest with every tensor on a device, or copy it into one that exists.

    Args:
        data: tensors in mappings and iterables, to any depth.
        device: where the copies go. Tensors that are there already are shared.
        out: a nest of the same shape whose tensors are written in place and which
            is returned; each of its tensors keeps its own device.

    Raises:
        DataTypeError: a leaf that is not a tensor; an ``out`` of another type, or a set.
        DeviceError: the data is empty; ``out`` has other keys or another length.
    """
    if out is None:
        target = torch.device(device)
        return cast("Nest", _rebuilt(data, lambda tensor: tensor.to(target)))
    _copy_into(data, out)
    return out


def _refuse_leaf(leaf: object) -> DataTypeError:
    return DataTypeError(
        f"a {type(leaf).__name__} is neither a tensor nor a container of tensors: "
        f"{str(leaf)[:60]!r}; convert it to a tensor, or leave it out"
    )


def _children(data: object) -> list[Any] | None:
    """Return what a container holds, ``None`` for a tensor."""
    if isinstance(data, Tensor):
        return None
    if isinstance(data, Mapping):
        return list(data.values())
    if isinstance(data, Iterable) and not isinstance(data, (str, bytes)) and not _is_array(data):
        return list(data)
    raise _refuse_leaf(data)


def _is_array(data: object) -> bool:
    return hasattr(data, "__array__")  # an array iterates over numbers, which says less


def _tensors(data: object) -> Iterator[Tensor]:
    children = _children(data)
    if children is None:
        yield cast("Tensor", data)
        return
    for child in children:
        yield from _tensors(child)


def _rebuilt(data: Any, move: Callable[[Tensor], Tensor]) -> Any:
    children = _children(data)
    if children is None:
        return move(data)
    if not children:
        raise DeviceError("an empty container has nothing to move; check that it is filled")
    moved = [_rebuilt(child, move) for child in children]
    kind: Any = type(data)
    if isinstance(data, MutableMapping):
        twin = copy.copy(data)  # keeps what a subclass carries, such as a default factory
        twin.update(zip(data, moved, strict=True))
        return twin
    if isinstance(data, Mapping):
        return kind(dict(zip(data, moved, strict=True)))
    return kind(*moved) if hasattr(data, "_fields") else kind(moved)


def _copy_into(data: Any, out: Any) -> None:
    if type(data) is not type(out) and not (isinstance(data, Tensor) and isinstance(out, Tensor)):
        raise DataTypeError(
            f"out is a {type(out).__name__}, but the data is a {type(data).__name__}; "
            "give an out of the same type, or none"
        )
    if isinstance(data, Tensor):
        out.copy_(data)
        return
    if isinstance(out, (set, frozenset)):
        raise DataTypeError("a set has no order to copy into; give a list as out, or none")
    children = _children(data) or []
    if not children:
        raise DeviceError("an empty container has nothing to copy; check that it is filled")
    if isinstance(data, Mapping):
        if data.keys() != out.keys():
            raise DeviceError(
                f"out has the keys {sorted(map(str, out))}, but the data has "
                f"{sorted(map(str, data))}; make them equal"
            )
        targets = [out[key] for key in data]
    else:
        targets = list(out)
    if len(targets) != len(children):
        raise DeviceError(
            f"out holds {len(targets)} entries, but the data {len(children)}; make them equal"
        )
    for child, target in zip(children, targets, strict=True):
        _copy_into(child, target)
