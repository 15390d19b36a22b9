"""Tensors that were given together, copied on their device without being read.

The copy makes the record safe from whatever happens to the tensors later:
``loss.zero_()``, a running total, a buffer that a captured graph overwrites. It is
outside of any graph, which is so not kept alive. One kernel copies a whole row.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Sequence
from operator import attrgetter
from typing import Any, NamedTuple

from .errors import ScalarTypeError
from .scalars import not_one_element

Place = tuple[Any, str]
"""Device and dtype family: what can be brought over in one copy."""

_COMMON = {
    f"torch.{name}"
    for name in (
        *("float64", "float32", "float16", "bfloat16"),
        *("bool", "uint8", "int8", "int16", "int32", "int64"),
    )
}
_families: dict[Any, str] = {}  # by dtype; there are some thirty
_rare: set[Any] = set()  # dtypes that torch does not mix with others
_dtype_of = attrgetter("dtype")


class Row(NamedTuple):
    """Values of several keys, on one device and of one dtype family."""

    place: Place
    keys: Sequence[str]
    values: Any  # without dimensions for one key, one-dimensional for several
    counts: Sequence[int] | None  # None is one for each


def row_of(key: str, tensor: Any, count: int) -> Row:
    """One tensor as a row; nothing is read. Raises as ``rows_of`` does."""
    place = place_of(tensor, key)
    values = tensor.detach() if tensor.requires_grad else tensor
    if values.dim() or tensor.dtype in _rare:
        values = _prepared(values)
    return Row(place, (key,), values.clone(), None if count == 1 else (count,))


def rows_of(keys: Sequence[str], tensors: Sequence[Any], counts: Sequence[int] | None) -> list[Row]:
    """The tensors as rows, one for each place; nothing is read.

    ``counts=None`` is a count of one for each.

    Raises:
        ScalarShapeError: a tensor has more or fewer elements than one.
        ScalarTypeError: its numbers are complex.
    """
    if len(tensors) == 1:
        return [row_of(keys[0], tensors[0], counts[0] if counts else 1)]
    place = place_of(tensors[0], keys[0])
    values = _alike(tensors)
    if values is None:
        return _told_apart(keys, tensors, counts or [1] * len(keys))
    if counts and counts.count(1) == len(counts):
        counts = None
    return [Row(place, keys, values, counts)]


def place_of(tensor: Any, name: str) -> Place:
    """Where a tensor of one element lives and what it can be copied together with."""
    if tensor.numel() != 1:
        raise not_one_element(tensor, name)
    dtype = tensor.dtype
    family = _families.get(dtype)
    if family is None:
        if dtype.is_complex:
            raise ScalarTypeError(
                f"a complex tensor cannot be recorded as {name!r}; record its absolute value"
            )
        family = _families[dtype] = _family(dtype)
        if str(dtype) not in _COMMON:
            _rare.add(dtype)
    return tensor.device, family


def _alike(tensors: Sequence[Any]) -> Any:
    """One row of tensors of the same dtype, device and shape; None where they differ.

    The usual case. Asking each tensor for its place would cost more than the copy;
    gradients are let go of after it, since to turn them off before cost a third of it.
    """
    dtypes = set(map(_dtype_of, tensors))
    if len(dtypes) > 1 or not _rare.isdisjoint(dtypes):
        return None
    torch = sys.modules["torch"]
    try:
        row = torch.stack(tensors)
    except RuntimeError:
        return None  # shapes or devices differ
    if row.requires_grad:
        row = row.detach()
    if row.dim() > 1:
        return row.reshape(-1) if row.numel() == len(tensors) else None
    return row


def _told_apart(keys: Sequence[str], tensors: Sequence[Any], counts: Sequence[int]) -> list[Row]:
    by_place: defaultdict[Place, list[int]] = defaultdict(list)
    for index, (key, tensor) in enumerate(zip(keys, tensors, strict=True)):
        by_place[place_of(tensor, key)].append(index)
    torch = sys.modules["torch"]
    rows = []
    for place, indices in by_place.items():
        with torch.no_grad():
            values = torch.stack([_prepared(tensors[index]) for index in indices])
        row_keys = [keys[index] for index in indices]
        values = values[0] if len(indices) == 1 else values
        rows.append(Row(place, row_keys, values, [counts[index] for index in indices]))
    return rows


def _prepared(tensor: Any) -> Any:
    if tensor.dim():
        tensor = tensor.reshape(())
    if tensor.dtype not in _rare:
        return tensor
    torch = sys.modules["torch"]
    return tensor.to(torch.float32 if tensor.dtype.is_floating_point else torch.int64)


def _family(dtype: Any) -> str:
    if not dtype.is_floating_point:
        return "whole"
    return "double" if str(dtype) == "torch.float64" else "single"
