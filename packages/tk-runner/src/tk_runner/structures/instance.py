"""``InstanceData``: fields with one entry for each instance of a sample.

All data fields have the same length. The length is that of the *other* fields:
the only field of an element may be replaced by one of another length, and an
element with empty fields takes empty fields only.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np
import torch

from .element import BaseDataElement
from .errors import FieldShapeError, FieldTypeError
from .selection import Selection

Self = TypeVar("Self", bound="InstanceData")


class InstanceData(BaseDataElement):
    """Boxes, labels, scores, ... of the instances of one sample.

    ``data[index]`` selects instances and keeps the metainfo; ``data["name"]``
    reads a field, ``data["name"] = value`` writes one.
    """

    def _checked(self, name: str, value: Any) -> Any:
        if not hasattr(value, "__len__"):
            raise FieldTypeError(
                f"field {name!r} needs one entry for each instance, so a value with a length; "
                f"got {type(value).__name__}"
            )
        length = _length(name, value)
        for other, present in self.items():
            if other not in (name, name.removeprefix("_")):
                if (expected := len(present)) != length:
                    raise FieldShapeError(
                        f"field {name!r} has {length} entries{_shape(value)}, but the instances "
                        f"are {expected}: so long is field {other!r}; make both equally long"
                    )
                break
        return value

    def __len__(self) -> int:
        for value in self.values():
            return len(value)
        return 0

    def __getitem__(self: Self, index: Any) -> Any:
        """The field of that name, or a new element with the selected instances."""
        if isinstance(index, str):
            return getattr(self, index)
        selection = Selection(index, len(self))
        return self._with_data({name: selection.of(name, value) for name, value in self.items()})

    def __setitem__(self, name: str, value: Any) -> None:
        setattr(self, name, value)

    @staticmethod
    def cat(instances_list: Sequence[Self]) -> Self:
        """All instances of the elements, one after another, in a new element.

        Metainfo and the order of the fields are those of the first element.
        The fields are new also where the list has one element only.

        Raises:
            FieldTypeError: an entry is no ``InstanceData``, a field cannot be joined.
            FieldShapeError: there is nothing to join, or the fields differ.
        """
        parts = list(instances_list)
        if not parts:
            raise FieldShapeError("cat() needs at least one element, and the list is empty")
        for position, part in enumerate(parts):
            if not isinstance(part, InstanceData):
                raise FieldTypeError(
                    f"cat() joins InstanceData; entry {position} is {type(part).__name__}"
                )
        first = parts[0]
        names = first.keys()
        for position, part in enumerate(parts):
            if differing := set(names) ^ set(part.keys()):
                raise FieldShapeError(
                    f"entry {position} and entry 0 differ in the fields {sorted(differing)}; "
                    "all elements need the same fields"
                )
        return first._with_data(
            {name: _joined(name, [getattr(part, name) for part in parts]) for name in names}
        )


def _joined(name: str, values: list[Any]) -> Any:
    first = values[0]
    if isinstance(first, torch.Tensor):
        return torch.cat(values)
    if isinstance(first, np.ndarray):
        return np.concatenate(values)
    if isinstance(first, str):
        return "".join(values)
    if isinstance(first, (list, tuple)):
        return type(first)(itertools.chain.from_iterable(values))
    if hasattr(first, "cat"):
        return first.cat(values)
    raise FieldTypeError(
        f"field {name!r} holds {type(first).__name__}, which cannot be joined; use a tensor, "
        "array, list or tuple, or a type with a static method cat"
    )


def _length(name: str, value: Any) -> int:
    try:
        return len(value)
    except TypeError:  # a 0-d tensor or array has __len__ and no length
        raise FieldTypeError(
            f"field {name!r} needs one entry for each instance; got a scalar {type(value).__name__}"
        ) from None


def _shape(value: Any) -> str:
    shape = getattr(value, "shape", None)
    return f" (shape {tuple(shape)})" if shape is not None else ""
