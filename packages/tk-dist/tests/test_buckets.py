"""Many tensors in few messages."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import tk_dist
from tk_dist import DataTypeError, launch


def test_alone_nothing_changes() -> None:
    data = {"b": torch.ones(2), "a": torch.zeros(1)}
    before = dict(data)
    tk_dist.all_reduce_dict(data)
    tk_dist.all_reduce_params(iter(before.values()))

    assert all(data[key] is before[key] for key in before)


@pytest.mark.parametrize("data", [[torch.ones(1)], torch.ones(1), None])
def test_other_than_a_dict_is_refused(data: Any) -> None:
    with pytest.raises(DataTypeError, match="dict of tensors"):
        tk_dist.all_reduce_dict(data)


def test_an_entry_that_is_no_tensor_is_refused() -> None:
    with pytest.raises(DataTypeError, match="takes a tensor, but got a float"):
        tk_dist.all_reduce_dict({"a": 1.0})  # type: ignore[dict-item]
    with pytest.raises(DataTypeError, match="takes a tensor, but got a str"):
        tk_dist.all_reduce_params(["x"])  # type: ignore[list-item]


@pytest.mark.parametrize("nproc", [2, 3])
def test_a_dict_keeps_its_shapes_and_dtypes_whatever_the_order_of_keys(nproc: int) -> None:
    def reduced() -> dict[str, torch.Tensor]:
        rank = tk_dist.get_rank()
        data = {"a": torch.full((2, 2), rank + 0.5), "b": torch.tensor(2**53 + rank)}
        if rank:
            data = dict(reversed(data.items()))
        kept = dict(data)
        tk_dist.all_reduce_dict(data)
        assert float(kept["a"][0, 0]) == rank + 0.5  # the tensors themselves stay
        return data

    total = sum(range(nproc))
    for data in launch(reduced, nproc):
        assert torch.equal(data["a"], torch.full((2, 2), total + 0.5 * nproc))
        # a float32 in the same message would have rounded this one
        assert data["b"].dtype is torch.int64
        assert int(data["b"]) == nproc * 2**53 + total


@pytest.mark.parametrize("coalesce", [True, False])
@pytest.mark.parametrize("bucket_size_mb", [-1, 1])
def test_parameters_are_reduced_in_place(coalesce: bool, bucket_size_mb: int) -> None:
    def reduced() -> list[torch.Tensor]:
        rank = tk_dist.get_rank()
        params = [
            torch.nn.Parameter(torch.full((300_000,), float(rank))),
            torch.full((3, 2), 2.0 * rank).t(),
            torch.nn.Parameter(torch.full((300_000,), float(rank))),
            torch.tensor([rank, 4]),
        ]
        tk_dist.all_reduce_params((p for p in params), coalesce, bucket_size_mb, "mean")
        return [param.detach() for param in params]

    for first, second, third, fourth in launch(reduced, 2):
        assert torch.equal(first, torch.full((300_000,), 0.5))
        assert torch.equal(second, torch.ones(2, 3))
        assert torch.equal(third, first)
        assert fourth.tolist() == [0, 4]


def test_nothing_to_reduce_is_fine() -> None:
    def empty() -> dict[str, torch.Tensor]:
        data: dict[str, torch.Tensor] = {}
        tk_dist.all_reduce_dict(data)
        tk_dist.all_reduce_params([])
        return data

    assert launch(empty, 2) == [{}, {}]
