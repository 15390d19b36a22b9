from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")

from tk_logging import ScalarShapeError, ScalarTypeError  # noqa: E402  # after the check for torch
from tk_logging.rows import row_of, rows_of  # noqa: E402

CPU = torch.device("cpu")


def test_one_tensor_is_a_row_without_dimensions() -> None:
    row = row_of("loss", torch.tensor([[2.0]], requires_grad=True), 3)

    assert (row.place, row.keys, row.counts) == ((CPU, "single"), ("loss",), (3,))
    assert row.values.shape == ()
    assert not row.values.requires_grad


def test_tensors_of_one_kind_are_one_row_that_shares_nothing_with_them() -> None:
    tensors = [torch.tensor(1.0), torch.tensor(2.0, requires_grad=True)]
    [row] = rows_of(["a", "b"], tensors, [1, 1])
    tensors[0].zero_()

    assert row.values.tolist() == [1.0, 2.0]
    assert not row.values.requires_grad
    assert row.counts is None


def test_each_device_and_family_of_dtypes_has_its_row() -> None:
    tensors = [
        torch.tensor(1.0),
        torch.tensor(2),
        torch.tensor(3.0, dtype=torch.float64),
        torch.tensor([4.0], dtype=torch.bfloat16),
        torch.empty((), device="meta"),
    ]
    rows = rows_of("abcde", tensors, [1, 2, 1, 1, 1])

    assert [(row.place[1], list(row.keys)) for row in rows] == [
        ("single", ["a", "d"]),
        ("whole", ["b"]),
        ("double", ["c"]),
        ("single", ["e"]),
    ]
    assert rows[0].values.tolist() == [1.0, 4.0]
    assert list(rows[1].counts or ()) == [2]


@pytest.mark.parametrize("number", [1, 2])
def test_several_elements_are_refused_by_name(number: int) -> None:
    wrong: list[Any] = [torch.zeros(2)] * number

    with pytest.raises(ScalarShapeError, match=r"one number for 'a', got Tensor of shape \(2,\)"):
        rows_of("ab"[:number], wrong, None)


def test_complex_numbers_are_refused_by_name() -> None:
    wrong = [torch.tensor(1.0), torch.tensor(1j)]

    with pytest.raises(ScalarTypeError, match="'b'; record its absolute value"):
        rows_of("ab", wrong, None)
