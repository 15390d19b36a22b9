"""Reading a field of all samples of a batch, wherever it is kept.

A field is looked for in the predictions first and in the loader's batch after
that; both may be a sequence of samples or one mapping of whole columns. What
comes back has one value a sample.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from tk_registry import did_you_mean

from .errors import FieldError

Array = NDArray[Any]
Column = Sequence[Any] | torch.Tensor


def column(name: str, data_samples: Any, data_batch: Any, *, option: str) -> Column:
    """The values of field ``name``, one a sample.

    Args:
        name: the field; dots lead into nested mappings (``pred_sem_seg.data``).
        data_samples: the predictions of a batch.
        data_batch: the loader's batch.
        option: the metric's argument that names the field, for the message.

    Raises:
        FieldError: no sample has the field; the text lists those it has.
    """
    found = optional_column(name, data_samples, data_batch)
    if found is None:
        raise _missing(name, [data_samples, data_batch], option)
    return found


def optional_column(name: str, data_samples: Any, data_batch: Any) -> Column | None:
    """As `column`, but ``None`` where there is no such field."""
    for source in (data_samples, data_batch):
        found = _from_mapping(name, source) if isinstance(source, Mapping) else None
        if found is None and isinstance(source, (list, tuple)) and source:
            values = [_from_mapping(name, sample) for sample in source]
            found = None if any(value is None for value in values) else values
        if found is not None:
            return found  # type: ignore[no-any-return]  # whatever the user keeps there
    return None


def numbers(value: Any) -> Array:
    """A field's value as an array on the CPU, floats as float64."""
    if isinstance(value, torch.Tensor):
        plain = value.detach()
        if plain.is_floating_point():
            plain = plain.double()
        return np.asarray(plain.cpu().numpy())
    array = np.asarray(value)
    return array.astype(np.float64) if array.dtype.kind == "f" else array


def stacked(values: Column) -> Array:
    """A column as one array whose first axis counts the samples, in one copy from a device."""
    if isinstance(values, torch.Tensor):
        return numbers(values)
    if len(values) and all(isinstance(value, torch.Tensor) for value in values):
        return numbers(torch.stack(list(values)))
    return np.stack([numbers(value) for value in values]) if len(values) else np.empty(0)


def arrays(values: Column) -> list[Array]:
    """A column as one array a sample; in one copy where it is one tensor."""
    if isinstance(values, torch.Tensor):
        return list(numbers(values))
    return [numbers(value) for value in values]


def labels(values: Column, *, option: str) -> NDArray[np.int64]:
    """A column of one class label a sample.

    Raises:
        FieldError: a sample has more than one label, or one that is no whole number.
    """
    if not len(values):
        return np.empty(0, dtype=np.int64)
    rows = [_flat(value) for value in values] if isinstance(values, (list, tuple)) else values
    sizes = {len(row) for row in rows} if isinstance(rows, list) else {_width(rows)}
    if sizes != {1}:
        raise FieldError(
            f"the field given as {option} holds {max(sizes)} values a sample where one label "
            "is expected; name a field of labels, not of scores"
        )
    flat = stacked(rows).reshape(len(values), 1)
    if not np.isfinite(flat).all() or not np.array_equal(flat, flat.astype(np.int64)):
        raise FieldError(
            f"the field given as {option} holds {flat.ravel()[:3].tolist()}, which are no class "
            "labels; name a field of whole numbers"
        )
    return flat[:, 0].astype(np.int64)


def _flat(value: Any) -> Any:
    return value.reshape(-1) if isinstance(value, torch.Tensor) else np.asarray(value).reshape(-1)


def _width(values: Any) -> int:
    """Elements a sample, of a column that is one tensor or array."""
    return int(np.prod(np.shape(values)[1:]))


def check_same_length(named: Mapping[str, Column]) -> None:
    """Raise where two columns of one batch differ in their number of samples.

    Raises:
        FieldError: with the length of each.
    """
    lengths = {option: len(values) for option, values in named.items()}
    if len(set(lengths.values())) > 1:
        raise FieldError(
            f"the fields of one batch differ in their number of samples: {lengths}; "
            "store as many predictions as targets"
        )


def _from_mapping(name: str, source: Any) -> Any:
    value: Any = source
    for part in [name] if isinstance(source, Mapping) and name in source else name.split("."):
        if not isinstance(value, Mapping) or part not in value:
            return None
        value = value[part]
    if isinstance(value, Mapping):  # a data container turned into a dict keeps its array there
        return value.get("data")
    return value


def _missing(name: str, sources: Iterable[Any], option: str) -> FieldError:
    known: list[str] = []
    for source in sources:
        sample = source[0] if isinstance(source, (list, tuple)) and source else source
        if isinstance(sample, Mapping):
            known += [str(key) for key in sample]
    hint = did_you_mean(
        name, known, f"name the field with {option}=...", shown=lambda field: f"{option}={field!r}"
    )
    return FieldError(
        f"the samples have no field {name!r}; they have: "
        f"{', '.join(dict.fromkeys(known)) or '(no named fields)'}; {hint}"
    )
