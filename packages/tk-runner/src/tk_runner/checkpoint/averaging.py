"""One set of weights out of several checkpoints of a training: their mean, name by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from .errors import CheckpointError, KeyMismatchError
from .read import read_checkpoint
from .weights import weights_of


def average_weights(filenames: Sequence[str | Path]) -> dict[str, Any]:
    """The mean of the weights of several files.

    Floating-point and complex weights are averaged in double precision; others,
    such as counters of batches, are those of the last file.

    Raises:
        CheckpointError: there are no files.
        KeyMismatchError: the names or shapes differ; the text has both files.
    """
    if not filenames:
        raise CheckpointError("there are no checkpoints to average; name at least one")
    first, *others = filenames
    newest = weights_of(read_checkpoint(first, verify=True))
    template = newest
    sums = {name: _double(value) for name, value in newest.items() if _is_averaged(value)}
    for filename in others:
        newest = weights_of(read_checkpoint(filename, verify=True))
        _require_same(template, newest, first, filename)
        for name, total in sums.items():
            total += newest[name]
    means = {name: total / len(filenames) for name, total in sums.items()}
    return {
        name: means[name].to(value.dtype) if name in means else value
        for name, value in newest.items()
    }


def _is_averaged(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and (value.is_floating_point() or value.is_complex())


def _double(value: torch.Tensor) -> torch.Tensor:
    return value.to(torch.complex128 if value.is_complex() else torch.float64, copy=True)


def _require_same(
    expected: Mapping[str, Any], got: Mapping[str, Any], first: object, other: object
) -> None:
    differing = [
        name
        for name in sorted(expected.keys() | got.keys())
        if getattr(expected.get(name), "shape", None) != getattr(got.get(name), "shape", None)
    ]
    if differing:
        raise KeyMismatchError(
            f"{first} and {other} are not of one model: {len(differing)} weights are missing or "
            f"have another shape, {differing[0]!r} among them"
        )
