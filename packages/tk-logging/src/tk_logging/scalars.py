"""What counts as one number, and how a tensor is taken without reading it.

Tensors are known by what they can do; torch is never imported here. Where there is
a tensor, torch is loaded already.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from numbers import Number
from typing import Any

from .errors import ScalarShapeError, ScalarTypeError

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
_tensor_types: dict[type, bool] = {}  # types of values, and whether they are tensors
_spread_types: set[type] = set()  # those whose values are spread over ranks
_rare: set[Any] = set()  # dtypes that torch does not mix with others


def is_tensor(value: object) -> bool:
    """Whether ``value`` is to be kept where it is and read later."""
    is_known = _tensor_types.get(type(value))
    if is_known is None:
        is_known = hasattr(value, "detach") and hasattr(value, "numel")
        _tensor_types[type(value)] = is_known
        if is_known and hasattr(value, "full_tensor"):
            _spread_types.add(type(value))
    return is_known


def to_number(value: Any, name: str = "") -> float:
    """``value`` as a Python float, read now.

    Raises:
        ScalarTypeError: it is no number, or a tensor where only numbers are taken.
        ScalarShapeError: it is an array with more or fewer elements than one.
    """
    where = f" for {name!r}" if name else ""
    if is_tensor(value):
        raise ScalarTypeError(
            f"a history takes numbers, got a tensor{where}; give it to MessageHub.update_scalar, "
            "which stores it without reading, or read it yourself with float(tensor)"
        )
    size = getattr(value, "size", 1)
    if size != 1:
        raise _not_one_element(value, name)
    if not isinstance(value, Number) and not (hasattr(value, "item") and hasattr(value, "dtype")):
        raise ScalarTypeError(
            f"expected a number, or an array or tensor of one element{where}, "
            f"got {type(value).__name__}: {value!r:.80}"
        )
    number = value.item() if hasattr(value, "item") else value
    try:
        return float(number)
    except (TypeError, ValueError, OverflowError) as error:
        raise ScalarTypeError(
            f"{number!r:.80}{where} has no value as a float ({error}); record a real number"
        ) from error


def place_of(tensor: Any, name: str = "") -> Place:
    """Where a tensor of one element lives and what it can be copied together with.

    Raises:
        ScalarShapeError: it has more or fewer elements than one.
        ScalarTypeError: its numbers are complex.
    """
    if tensor.numel() != 1:
        raise _not_one_element(tensor, name)
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


def snapshot(tensors: Sequence[Any]) -> Any:
    """A copy of the tensors' values now, on their device, outside of any graph.

    One tensor comes back without dimensions, several as one row. The copy makes the
    record safe from whatever happens to the tensors later: ``loss.zero_()``, a
    running total, a buffer that a captured graph overwrites.
    """
    torch = sys.modules["torch"]
    if len(tensors) == 1:
        copy = _prepared(tensors[0].detach(), torch)
        return copy.clone()
    with torch.no_grad():
        return torch.stack([_prepared(tensor, torch) for tensor in tensors])


def _prepared(tensor: Any, torch: Any) -> Any:
    if tensor.dim():
        tensor = tensor.reshape(())
    if tensor.dtype in _rare:
        return tensor.to(torch.float32 if tensor.dtype.is_floating_point else torch.int64)
    return tensor


def whole(tensor: Any) -> Any:
    """``tensor`` itself, or all of it where it is spread over ranks.

    Gathering is a collective; it happens at once, since every rank updates but only
    some of them read.
    """
    return tensor.full_tensor() if type(tensor) in _spread_types else tensor


def _family(dtype: Any) -> str:
    if not dtype.is_floating_point:
        return "whole"
    return "double" if str(dtype) == "torch.float64" else "single"


def _not_one_element(value: Any, name: str) -> ScalarShapeError:
    where = f" for {name!r}" if name else ""
    shape = tuple(getattr(value, "shape", ()))
    return ScalarShapeError(
        f"expected one number{where}, got {type(value).__name__} of shape {shape}; "
        "reduce it first, for example with .mean()"
    )
