"""``PixelData``: maps of one sample that share height and width.

Every data field is ``(channels, height, width)``. The size is that of the
*other* fields, so the only field may be replaced by one of another size.
"""

from __future__ import annotations

import operator
import warnings
from typing import Any, TypeVar

import numpy as np
import torch

from .element import BaseDataElement
from .errors import FieldShapeError, FieldTypeError

Self = TypeVar("Self", bound="PixelData")


class PixelData(BaseDataElement):
    """Segmentation maps, depth, heat maps, ... of one sample.

    ``data[rows, columns]`` cuts a window out of every field, with integers or
    slices; both dimensions are kept. ``data["name"]`` reads a field.
    """

    def _checked(self, name: str, value: Any) -> Any:
        if not isinstance(value, (torch.Tensor, np.ndarray)):
            raise FieldTypeError(
                f"field {name!r} must be a tensor or an array, not {type(value).__name__}"
            )
        if value.ndim not in (2, 3):
            raise FieldShapeError(
                f"field {name!r} has shape {tuple(value.shape)}; "
                "use (channels, height, width) or (height, width)"
            )
        for other, present in self.items():
            if other not in (name, name.removeprefix("_")):
                if tuple(present.shape[-2:]) != tuple(value.shape[-2:]):
                    raise FieldShapeError(
                        f"field {name!r} has shape {tuple(value.shape)}, but the size is "
                        f"{tuple(present.shape[-2:])}: so large is field {other!r}"
                    )
                break
        if value.ndim == 2:
            warnings.warn(
                f"field {name!r} of shape {tuple(value.shape)} is stored as "
                f"{(1, *value.shape)}; pass it with its channel dimension",
                stacklevel=4,
            )
            value = value[None]
        return value

    @property
    def shape(self) -> tuple[int, int] | None:
        """Height and width; ``None`` where there is no field."""
        for value in self.values():
            height, width = value.shape[-2:]
            return int(height), int(width)
        return None

    def __getitem__(self: Self, index: Any) -> Any:
        """The field of that name, or a new element with the window of every field."""
        if isinstance(index, str):
            return getattr(self, index)
        if not isinstance(index, tuple):
            raise FieldTypeError(f"{index!r} is no window; use data[rows, columns]")
        if len(index) != 2:
            raise FieldShapeError(f"a window has rows and columns, not {len(index)} entries")
        size = self.shape or (0, 0)
        rows, columns = (_kept(part, length) for part, length in zip(index, size, strict=True))
        return self._with_data({name: value[:, rows, columns] for name, value in self.items()})


def _kept(part: Any, length: int) -> slice:
    """``part`` as a slice, so that the dimension stays."""
    if isinstance(part, slice):
        return part
    try:
        position = None if isinstance(part, bool) else operator.index(part)
    except TypeError:
        position = None
    if position is None:
        raise FieldTypeError(f"{part!r} cannot cut a window; use integers or slices")
    if not -length <= position < length:
        raise IndexError(f"index {position} is outside a side of {length} pixels")
    return slice(position % length, position % length + 1)
