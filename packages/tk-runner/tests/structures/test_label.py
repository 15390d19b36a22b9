from __future__ import annotations

import pytest
import torch

from tk_runner.structures import LabelData


@pytest.mark.parametrize("dtype", [torch.int64, torch.float32, torch.bool])
def test_onehot_gives_the_indices_of_the_ones(dtype: torch.dtype) -> None:
    onehot = torch.tensor([0, 1, 0, 1]).to(dtype)

    assert LabelData.onehot_to_label(onehot).tolist() == [1, 3]


def test_a_onehot_without_ones_has_no_labels() -> None:
    assert LabelData.onehot_to_label(torch.zeros(3)).tolist() == []
    assert LabelData.onehot_to_label(torch.zeros(0)).tolist() == []


@pytest.mark.parametrize("value", [0.5, 2.0, -1.0])
def test_only_zeros_and_ones_are_a_onehot(value: float) -> None:
    with pytest.raises(ValueError, match=f"onehot holds {value}"):
        LabelData.onehot_to_label(torch.tensor([0.0, value]))


def test_a_onehot_is_a_one_dimensional_tensor() -> None:
    with pytest.raises(ValueError, match=r"of shape \(1, 1\)"):
        LabelData.onehot_to_label(torch.zeros(1, 1))
    with pytest.raises(AssertionError, match="must be a tensor, not list"):
        LabelData.onehot_to_label([0, 1])  # type: ignore[arg-type]


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32, torch.uint8])
def test_labels_become_ones_in_their_dtype(dtype: torch.dtype) -> None:
    onehot = LabelData.label_to_onehot(torch.tensor([2, 0], dtype=dtype), 4)

    assert onehot.tolist() == [1, 0, 1, 0]
    assert onehot.dtype == dtype


@pytest.mark.parametrize("label", [-1, 4])
def test_a_label_outside_the_classes_is_refused(label: int) -> None:
    with pytest.raises(AssertionError, match=rf"label {label} is outside the 4 classes \(0 to 3\)"):
        LabelData.label_to_onehot(torch.tensor([0, label]), 4)


def test_labels_are_a_tensor_of_integers() -> None:
    with pytest.raises(TypeError, match="must hold integers, not"):
        LabelData.label_to_onehot(torch.tensor([1.0]), 4)
    with pytest.raises(AssertionError, match="must be a tensor, not int"):
        LabelData.label_to_onehot(1, 4)  # type: ignore[arg-type]


def test_both_ways_come_back() -> None:
    label = torch.tensor([1, 3])

    assert torch.equal(LabelData.onehot_to_label(LabelData.label_to_onehot(label, 5)), label)
