"""Containers for one sample's labels and predictions, with the facts about it."""

from typing import TYPE_CHECKING

from ..lazy_names import lazy_names

if TYPE_CHECKING:
    from .element import BaseDataElement as BaseDataElement
    from .errors import FieldNameError as FieldNameError
    from .errors import FieldShapeError as FieldShapeError
    from .errors import FieldTypeError as FieldTypeError
    from .instance import InstanceData as InstanceData
    from .label import LabelData as LabelData
    from .pixel import PixelData as PixelData

_MODULE_OF = {
    "BaseDataElement": "element",
    "FieldNameError": "errors",
    "FieldShapeError": "errors",
    "FieldTypeError": "errors",
    "InstanceData": "instance",
    "LabelData": "label",
    "PixelData": "pixel",
}

__all__ = sorted(_MODULE_OF)

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(__name__, _MODULE_OF)
