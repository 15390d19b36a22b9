"""Kinds of values and sequences: checks, casts, cutting and joining."""

from __future__ import annotations

import itertools
from collections import abc
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from torch.utils import _pytree


def is_str(x: Any) -> bool:
    """Whether it is a text."""
    return isinstance(x, str)


def iter_cast(inputs: Any, dst_type: Any, return_type: Any = None) -> Any:
    """Each item turned into ``dst_type``: an iterator, or a ``return_type`` of them.

    Raises:
        TypeError: no iterable, or no type.
    """
    if not isinstance(inputs, abc.Iterable):
        raise TypeError(f"inputs must be iterable, got {type(inputs).__name__}")
    if not isinstance(dst_type, type):
        raise TypeError(f"dst_type must be a type, got {dst_type!r}")
    cast: Iterator[Any] = map(dst_type, inputs)
    return cast if return_type is None else return_type(cast)


def list_cast(inputs: Any, dst_type: Any) -> Any:
    """A list of the items as ``dst_type``."""
    return iter_cast(inputs, dst_type, list)


def tuple_cast(inputs: Any, dst_type: Any) -> Any:
    """A tuple of the items as ``dst_type``."""
    return iter_cast(inputs, dst_type, tuple)


def is_seq_of(seq: Any, expected_type: Any, seq_type: Any = None) -> bool:
    """Whether it is a sequence (of that kind) and every item is of the type, or one of them."""
    if seq_type is not None and not isinstance(seq_type, type):
        raise AssertionError(f"seq_type must be a type, got {seq_type!r}")
    kind: Any = seq_type or abc.Sequence
    return isinstance(seq, kind) and all(isinstance(item, expected_type) for item in seq)


def is_list_of(seq: Any, expected_type: Any) -> bool:
    """Whether it is a list of items of the type."""
    return is_seq_of(seq, expected_type, seq_type=list)


def is_tuple_of(seq: Any, expected_type: Any) -> bool:
    """Whether it is a tuple of items of the type."""
    return is_seq_of(seq, expected_type, seq_type=tuple)


def slice_list(in_list: list[Any], lens: int | list[int]) -> list[list[Any]]:
    """The list cut into pieces of one length, or of the lengths given.

    Raises:
        TypeError: ``lens`` is neither a number nor a list.
        ValueError: the lengths do not add up to that of the list.
    """
    if isinstance(lens, int):
        if len(in_list) % lens:
            raise AssertionError(f"{len(in_list)} items cannot be cut into pieces of {lens}")
        lens = [lens] * (len(in_list) // lens)
    if not isinstance(lens, list):
        raise TypeError(f"lens must be a number or a list of numbers, got {type(lens).__name__}")
    if sum(lens) != len(in_list):
        raise ValueError(f"the lengths add up to {sum(lens)}, and the list has {len(in_list)}")
    items = iter(in_list)
    return [list(itertools.islice(items, length)) for length in lens]


def concat_list(in_list: Iterable[Iterable[Any]]) -> list[Any]:
    """The items of the inner lists in one list."""
    return list(itertools.chain.from_iterable(in_list))


def to_ntuple(n: int) -> Callable[[Any], Any]:
    """A function that repeats a value ``n`` times; what is iterable it leaves as it is."""

    def repeat(x: Any) -> Any:
        return x if isinstance(x, abc.Iterable) else (x,) * n

    return repeat


to_1tuple, to_2tuple = to_ntuple(1), to_ntuple(2)
to_3tuple, to_4tuple = to_ntuple(3), to_ntuple(4)


def apply_to(data: Any, expr: Callable[[Any], bool], apply_func: Callable[[Any], Any]) -> Any:
    """The same nest of dicts, lists and tuples with ``apply_func`` done to some values.

    Args:
        data: a value or a nest of values.
        expr: tells which values.
        apply_func: gives what stands in their place.
    """
    return _pytree.tree_map(lambda leaf: apply_func(leaf) if expr(leaf) else leaf, data)


def has_method(obj: object, method: str) -> bool:
    """Whether the object has something of that name that can be called."""
    return callable(getattr(obj, method, None))


def is_method_overridden(method: str, base_class: type, derived_class: Any) -> bool:
    """Whether a class, or an object's class, has a method of its own in place of the base's."""
    if not isinstance(base_class, type):
        raise AssertionError(f"base_class must be a class, got {base_class!r}")
    derived = derived_class if isinstance(derived_class, type) else type(derived_class)
    return getattr(derived, method) is not getattr(base_class, method)
