"""What counts as one number, and what is a tensor.

Tensors are known by what they can do; torch is never imported here. Where there is
a tensor, torch is loaded already.
"""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Number
from typing import Any

from .errors import ScalarShapeError, ScalarTypeError

_tensor_types: dict[type, bool] = {}  # types of values, and whether they are tensors
_spread_types: set[type] = set()  # those whose values are spread over ranks


def is_tensor(value: object) -> bool:
    """Whether ``value`` is to be kept where it is and read later."""
    is_known = _tensor_types.get(type(value))
    if is_known is None:
        is_known = hasattr(value, "detach") and hasattr(value, "numel")
        _tensor_types[type(value)] = is_known
        if is_known and hasattr(value, "full_tensor"):
            _spread_types.add(type(value))
    return is_known


def whole(tensor: Any) -> Any:
    """``tensor`` itself, or all of it where it is spread over ranks.

    Gathering is a collective; it happens at once, since every rank updates but only
    some of them read.
    """
    return tensor.full_tensor() if type(tensor) in _spread_types else tensor


def are_whole_tensors(values: Iterable[object]) -> bool:
    """Whether all are tensors of types seen before, none of them spread over ranks."""
    kinds = set(map(type, values))
    return all(map(_tensor_types.get, kinds)) and _spread_types.isdisjoint(kinds)


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
        raise not_one_element(value, name)
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


def not_one_element(value: Any, name: str) -> ScalarShapeError:
    """The error for an array or tensor that is not one number."""
    where = f" for {name!r}" if name else ""
    shape = tuple(getattr(value, "shape", ()))
    return ScalarShapeError(
        f"expected one number{where}, got {type(value).__name__} of shape {shape}; "
        "reduce it first, for example with .mean()"
    )
