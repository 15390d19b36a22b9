"""``LabelData``: labels of one sample, and their two forms."""

from __future__ import annotations

import torch

from .element import BaseDataElement
from .errors import FieldShapeError, FieldTypeError


class LabelData(BaseDataElement):
    """Labels as indices or as a vector of zeros and ones."""

    @staticmethod
    def onehot_to_label(onehot: torch.Tensor) -> torch.Tensor:
        """Indices of the ones; several are allowed, none gives an empty tensor.

        Raises:
            FieldTypeError: not a tensor.
            FieldShapeError: not one-dimensional, or an entry that is neither 0 nor 1.
        """
        _expect_tensor("onehot", onehot)
        if onehot.dim() != 1:
            raise FieldShapeError(
                f"onehot must be one-dimensional, not of shape {tuple(onehot.shape)}"
            )
        wrong = onehot[(onehot != 0) & (onehot != 1)]
        if len(wrong):
            raise FieldShapeError(
                f"onehot holds {wrong[0].item()}; use only 0 and 1 (threshold scores first)"
            )
        return onehot.nonzero().flatten()

    @staticmethod
    def label_to_onehot(label: torch.Tensor, num_classes: int) -> torch.Tensor:
        """``(num_classes,)`` with ones at the labels, in the dtype of ``label``.

        Raises:
            FieldTypeError: not a tensor of integers.
            FieldShapeError: a label outside ``0 .. num_classes - 1``.
        """
        _expect_tensor("label", label)
        if label.dtype.is_floating_point or label.dtype.is_complex or label.dtype == torch.bool:
            raise FieldTypeError(f"label must hold integers, not {label.dtype}")
        wrong = label[(label < 0) | (label >= num_classes)]
        if len(wrong):
            raise FieldShapeError(
                f"label {wrong[0].item()} is outside the {num_classes} classes "
                f"(0 to {num_classes - 1})"
            )
        onehot = label.new_zeros((num_classes,))
        onehot[label.long()] = 1
        return onehot


def _expect_tensor(name: str, value: object) -> None:
    if not isinstance(value, torch.Tensor):
        raise FieldTypeError(f"{name} must be a tensor, not {type(value).__name__}")
