"""Which instances an index means, for fields of every kind.

An index is read once and brought into a form that each kind of field takes:
a slice, or positions and masks as tensor, array and list. Integers of any type
are positions (``uint8`` too, as in NumPy); only ``bool`` is a mask.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import torch

from .errors import FieldShapeError, FieldTypeError


class Selection:
    """Some of ``length`` instances.

    Args:
        index: an integer (which selects one instance and keeps the dimension),
            a slice, or a one-dimensional list, array or tensor of integers or
            booleans.
        length: number of instances there are.

    Raises:
        IndexError: a position outside; only known positions are checked, those
            on an accelerator are left to torch.
        FieldShapeError: a mask of another length, more than one dimension.
        FieldTypeError: anything else.
    """

    def __init__(self, index: Any, length: int) -> None:
        self._length = length
        self._slice: slice | None = None
        if isinstance(index, slice):
            self._slice = index
        elif (position := _as_integer(index)) is not None:
            self._slice = self._one(position)
        else:
            self._tensor = self._positions(index)

    def _one(self, position: int) -> slice:
        if not -self._length <= position < self._length:
            raise IndexError(
                f"index {position} is outside the {self._length} instances; "
                f"use {-self._length} to {self._length - 1}"
                if self._length
                else f"index {position} into no instances"
            )
        position %= self._length
        return slice(position, position + 1)

    def _positions(self, index: Any) -> torch.Tensor:
        tensor = _as_tensor(index)
        if tensor.dim() != 1:
            raise FieldShapeError(
                f"instances are indexed along one dimension, not with a {tuple(tensor.shape)} "
                "tensor; flatten the index"
            )
        if tensor.dtype == torch.bool:
            if len(tensor) != self._length:
                raise FieldShapeError(
                    f"a mask of {len(tensor)} entries over {self._length} instances; "
                    "it needs one entry for each"
                )
            return tensor
        tensor = tensor.long()
        if tensor.device.type == "cpu" and len(tensor):
            low, high = int(tensor.min()), int(tensor.max())
            if low < -self._length or high >= self._length:
                wrong = low if low < -self._length else high
                raise IndexError(f"index {wrong} is outside the {self._length} instances")
        return tensor

    @cached_property
    def _array(self) -> np.ndarray[Any, Any]:
        return np.asarray(self._tensor.cpu())

    @cached_property
    def _list(self) -> list[int]:
        array = self._array
        positions: list[int] = (np.flatnonzero(array) if array.dtype == bool else array).tolist()
        return positions

    def of(self, name: str, value: Any) -> Any:
        """The selected entries of field ``name``; its kind is kept.

        Raises:
            FieldTypeError: the field is of a kind that cannot be selected from.
        """
        if self._slice is not None:
            return value[self._slice]
        if isinstance(value, torch.Tensor):
            return value[self._tensor.to(value.device)]
        if isinstance(value, np.ndarray):
            return value[self._array]
        if isinstance(value, str):
            return "".join([value[position] for position in self._list])
        if isinstance(value, list):
            return [value[position] for position in self._list]
        if isinstance(value, tuple):
            return tuple([value[position] for position in self._list])
        if hasattr(value, "__getitem__") and hasattr(value, "cat"):
            return value[self._tensor]
        raise FieldTypeError(
            f"field {name!r} holds {type(value).__name__}, which cannot be indexed with "
            "positions or a mask; use a tensor, array, list or tuple, "
            "or a type with __getitem__ and cat"
        )


def _as_integer(index: Any) -> int | None:
    """A Python int for every integer scalar, 0-d arrays and tensors included; else None."""
    if isinstance(index, (bool, np.bool_)):
        return None
    if isinstance(index, (np.ndarray, torch.Tensor)) and (index.ndim or _is_mask(index)):
        return None
    try:
        return operator.index(index)
    except TypeError:
        return None


def _is_mask(index: np.ndarray[Any, Any] | torch.Tensor) -> bool:
    return index.dtype in (torch.bool, np.dtype(bool))


def _as_tensor(index: Any) -> torch.Tensor:
    if isinstance(index, (Sequence, np.ndarray)) and not isinstance(index, (str, bytes)):
        index = _list_as_array(index)
    if isinstance(index, torch.Tensor) and not (
        index.dtype.is_floating_point or index.dtype.is_complex
    ):
        return index
    raise FieldTypeError(
        f"{_shown(index)} is no index of instances; use an integer, a slice, or a "
        "one-dimensional list, array or tensor of integers or booleans"
    )


def _list_as_array(index: Any) -> Any:
    """A tensor of the integers or booleans in a list or array; what has others, unchanged."""
    try:
        array = np.asarray(index)
    except ValueError:  # ragged
        return index
    if array.size == 0 and not isinstance(index, np.ndarray):
        array = array.astype(np.int64)
    if array.dtype.kind == "u":
        array = array.astype(np.int64)
    return torch.from_numpy(np.ascontiguousarray(array)) if array.dtype.kind in "ib" else index


def _shown(index: Any) -> str:
    dtype = getattr(index, "dtype", None)
    return f"{type(index).__name__} of {dtype}" if dtype is not None else repr(index)
