"""Samples put into a batch: regrouped only, or stacked as well.

The first sample decides the structure and the keys; keys that only later ones
have are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from torch.utils.data import default_collate as stack

from tk_registry import FUNCTIONS

from ..structures import BaseDataElement
from .errors import CollateError

COLLATE_FUNCTIONS = FUNCTIONS

Leaf = Callable[[list[Any]], Any]


@FUNCTIONS.register_module()
def pseudo_collate(data_batch: Sequence[Any]) -> Any:
    """The samples regrouped: each leaf becomes the list of the samples' values.

    Mappings and sequences keep their type where it can be built from a dict or
    a list; a tuple becomes a list, a named tuple stays one.

    Raises:
        CollateError: no samples, or samples of differing structure.
    """
    return _collated(_samples(data_batch), "", lambda values: values)


@FUNCTIONS.register_module()
def default_collate(data_batch: Sequence[Any]) -> Any:
    """The samples regrouped, with leaves stacked into tensors as torch does it.

    Data elements, ``str`` and ``bytes`` stay a list.

    Raises:
        CollateError: no samples, or samples of differing structure.
    """
    return _collated(_samples(data_batch), "", _stacked)


def _samples(data_batch: Sequence[Any]) -> list[Any]:
    if not len(data_batch):
        raise CollateError("a batch of no samples has no structure; give at least one sample")
    return list(data_batch)


def _stacked(values: list[Any]) -> Any:
    return values if isinstance(values[0], BaseDataElement) else stack(values)


def _collated(values: list[Any], path: str, leaf: Leaf) -> Any:
    first = values[0]
    if isinstance(first, (str, bytes)):
        return values
    if isinstance(first, Mapping):
        return _as_type_of(first, _by_key(values, path, leaf))
    if isinstance(first, Sequence):
        parts = _by_position(values, path, leaf)
        if isinstance(first, tuple):
            return type(first)(*parts) if hasattr(first, "_fields") else parts
        return _as_type_of(first, parts)
    return leaf(values)


def _by_key(values: list[Any], path: str, leaf: Leaf) -> dict[Any, Any]:
    for position, value in enumerate(values):
        if missing := [key for key in values[0] if key not in value]:
            raise CollateError(
                f"sample {position} of the batch has no {path}{missing[0]!r}, which sample 0 has; "
                "all samples need the keys of the first"
            )
    return {
        key: _collated([value[key] for value in values], f"{path}{key}.", leaf) for key in values[0]
    }


def _by_position(values: list[Any], path: str, leaf: Leaf) -> list[Any]:
    lengths = [len(value) for value in values]
    if len(set(lengths)) > 1:
        where = f" at {path.rstrip('.')}" if path else ""
        raise CollateError(
            f"the sequences{where} have lengths {lengths} over the batch; make them equally long, "
            "or keep them together in a tensor or a data element"
        )
    return [
        _collated(list(parts), f"{path}{position}.", leaf)
        for position, parts in enumerate(zip(*values, strict=True))
    ]


def _as_type_of(value: Any, parts: Any) -> Any:
    if type(value) in (dict, list):
        return parts
    try:
        return type(value)(parts)
    except TypeError:  # built in another way
        return parts
