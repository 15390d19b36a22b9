"""Names of reduce operations, checked with one process too."""

from __future__ import annotations

import pytest
import torch

import tk_dist
from tk_dist import ReduceOpError


@pytest.mark.parametrize("op", ["sum", "SUM", "Mean", "product", "min", "max", "band", "BXOR"])
def test_every_operation_is_known_in_any_case(op: str) -> None:
    tk_dist.all_reduce(torch.ones(1, dtype=torch.int64), op)


@pytest.mark.parametrize("op", ["sun", "xyz", 1])
def test_an_unknown_operation_is_refused(op: str) -> None:
    text = "use one of sum, mean, product"
    with pytest.raises(ReduceOpError, match=text):
        tk_dist.all_reduce(torch.ones(1), op)
    with pytest.raises(ReduceOpError, match=text):
        tk_dist.all_reduce_dict({}, op)
    with pytest.raises(ReduceOpError, match=text):
        tk_dist.all_reduce_params([], op=op)


@pytest.mark.parametrize(
    ("op", "dtype", "text"),
    [
        ("band", torch.float32, "needs integers or booleans"),
        ("max", torch.complex64, "not defined for torch.complex64"),
        ("mean", torch.bool, "convert the tensor to a float"),
    ],
)
def test_an_operation_that_the_dtype_lacks_is_refused(
    op: str, dtype: torch.dtype, text: str
) -> None:
    with pytest.raises(ReduceOpError, match=text):
        tk_dist.all_reduce(torch.ones(2, dtype=dtype), op)
