"""Regrouping stored samples into a batch, without stacking anything.

The shape that a metric sees in offline evaluation is the shape that a loader
gives during a run: fields outside, samples inside.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .errors import LengthMismatchError


def regroup(samples: Sequence[Any]) -> Any:
    """A batch whose leaves are lists over the samples.

    Mappings become one mapping of their fields, tuples a list of their
    positions, named tuples keep their type; text, bytes, arrays, tensors and
    any other object are leaves. The first sample tells the structure.
    """
    first = samples[0]
    if isinstance(first, (str, bytes)):
        return list(samples)
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return type(first)(*map(regroup, _positions(samples)))
    if isinstance(first, Mapping):
        fields = {key: regroup([sample[key] for sample in samples]) for key in first}
        return _as_type_of(first, fields)
    if isinstance(first, tuple):
        return [regroup(column) for column in _positions(samples)]
    if isinstance(first, Sequence):
        return _as_type_of(first, [regroup(column) for column in _positions(samples)])
    return list(samples)


def _positions(samples: Sequence[Any]) -> list[tuple[Any, ...]]:
    lengths = {len(sample) for sample in samples}
    if len(lengths) > 1:
        raise LengthMismatchError(
            f"the samples of one chunk hold sequences of different lengths {sorted(lengths)}, so "
            "they cannot be regrouped by position; store such fields as arrays, or evaluate with "
            "chunk_size=1"
        )
    return list(zip(*samples, strict=True))


def _as_type_of(first: Any, rebuilt: Any) -> Any:
    try:
        return type(first)(rebuilt)
    except TypeError:  # a type that cannot be made from its items, as default_collate treats it
        return rebuilt
