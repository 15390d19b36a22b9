"""Collectives of tensors: alone, on 2, 3 and 4 ranks, and in sub-groups."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
import torch.distributed as torch_dist
from torch import Tensor

import tk_dist
from tk_dist import DataTypeError, RankError, launch

DTYPES = [
    torch.float32,
    torch.float64,
    torch.float16,
    torch.bfloat16,
    torch.int64,
    torch.int32,
    torch.int16,
    torch.uint8,
    torch.bool,
    torch.complex64,
]
OTHERS = [
    lambda data: tk_dist.all_reduce(data),
    lambda data: tk_dist.all_gather(data),
    lambda data: tk_dist.gather(data),
    lambda data: tk_dist.broadcast(data),
]


def test_alone_the_tensor_itself_comes_back() -> None:
    data = torch.tensor([1.5, 2.0])
    tk_dist.all_reduce(data, "mean")
    tk_dist.broadcast(data)

    assert tk_dist.all_gather(data)[0] is data
    assert tk_dist.gather(data)[0] is data
    assert data.tolist() == [1.5, 2.0]


@pytest.mark.parametrize("call", OTHERS)
@pytest.mark.parametrize("data", [1.0, [torch.ones(1)], None])
def test_data_that_is_no_tensor_is_refused(call: Callable[[object], object], data: object) -> None:
    with pytest.raises(DataTypeError, match="takes a tensor"):
        call(data)


@pytest.mark.parametrize("rank", [1, -1])
def test_a_rank_that_does_not_exist_is_refused_alone_too(rank: int) -> None:
    with pytest.raises(RankError, match=f"src={rank} is no rank"):
        tk_dist.broadcast(torch.ones(1), src=rank)
    with pytest.raises(RankError, match=f"dst={rank} is no rank"):
        tk_dist.gather(torch.ones(1), dst=rank)


@pytest.mark.parametrize("nproc", [2, 3, 4])
@pytest.mark.parametrize(
    ("op", "expected"),
    [
        ("sum", lambda values: sum(values)),
        ("mean", lambda values: sum(values) // len(values)),
        ("product", lambda values: torch.tensor(values).prod().item()),
        ("min", min),
        ("max", max),
        ("bor", lambda values: 7 if len(values) == 4 else 3),
    ],
)
def test_all_reduce_agrees_with_python(
    op: str, expected: Callable[[list[int]], int], nproc: int
) -> None:
    def reduced() -> int:
        data = torch.tensor(tk_dist.get_rank() + 1)
        tk_dist.all_reduce(data, op)
        return int(data)

    assert launch(reduced, nproc) == [expected(list(range(1, nproc + 1)))] * nproc


def test_the_mean_of_integers_is_cut_and_exact() -> None:
    def mean() -> list[int]:
        rank = tk_dist.get_rank()
        data = torch.tensor([[1, 2], [3, 4]][rank] + [2**60 + 2 * rank, [-3, 0][rank]])
        tk_dist.all_reduce(data, "mean")
        return data.tolist()

    assert launch(mean, 2) == [[2, 3, 2**60 + 1, -1]] * 2


@pytest.mark.parametrize(
    ("op", "expected"),
    [
        ("sum", [True, True, False]),
        ("max", [True, True, False]),
        ("bor", [True, True, False]),
        ("product", [True, False, False]),
        ("min", [True, False, False]),
        ("band", [True, False, False]),
        ("bxor", [False, True, False]),
    ],
)
def test_booleans_are_reduced(op: str, expected: list[bool]) -> None:
    def reduced() -> list[bool]:
        data = torch.tensor([True, tk_dist.get_rank() == 0, False])
        tk_dist.all_reduce(data, op)
        return data.tolist()

    assert launch(reduced, 2) == [expected] * 2


def test_every_dtype_and_layout_goes_through_every_collective() -> None:
    def all_of_them() -> None:
        rank = tk_dist.get_rank()
        for dtype in DTYPES:
            for shape in [(), (3,), (2, 3), (0, 4)]:
                own, zeros = torch.full(shape, rank).to(dtype), torch.zeros(shape).to(dtype)
                ones = torch.ones(shape).to(dtype)
                assert torch.equal(torch.stack(tk_dist.all_gather(own)), torch.stack([zeros, ones]))
                gathered = tk_dist.gather(own, dst=1)
                assert len(gathered) == 2 * rank
                assert all(map(torch.equal, gathered, [zeros, ones]))
                total = own.clone()
                tk_dist.all_reduce(total)
                assert torch.equal(total, ones)
                tk_dist.broadcast(own, src=1)
                assert torch.equal(own, ones)

    launch(all_of_them, 2)


def test_tensors_that_are_not_contiguous_are_changed_in_place() -> None:
    def in_place() -> tuple[Tensor, Tensor]:
        base = torch.arange(6.0).reshape(2, 3) * (tk_dist.get_rank() + 1)
        tk_dist.broadcast(base.t()[:2], src=1)
        wide = torch.ones(2, 4)
        tk_dist.all_reduce(wide[:, ::2])
        return base, wide

    for base, wide in launch(in_place, 2):
        assert base[:, :2].tolist() == [[0, 2], [6, 8]]
        assert wide.tolist() == [[2, 1, 2, 1]] * 2


def test_a_parameter_is_changed_in_place_and_stays_a_leaf() -> None:
    def reduced() -> tuple[bool, list[float]]:
        parameter = torch.nn.Parameter(torch.ones(2, 2).t())
        tk_dist.all_reduce(parameter, "mean")
        tk_dist.broadcast(parameter)
        return parameter.is_leaf, parameter.flatten().tolist()

    assert launch(reduced, 2) == [(True, [1.0] * 4)] * 2


def test_conjugate_views_are_resolved() -> None:
    gathered = launch(lambda: tk_dist.all_gather(torch.tensor([1 + 2j]).conj())[1], 2)

    assert gathered[0].tolist() == [1 - 2j]


def test_in_a_sub_group_src_and_dst_are_global_ranks() -> None:
    def sub_group() -> object:
        group = torch_dist.new_group([1, 2])
        rank = tk_dist.get_rank()
        if rank == 0:
            return None
        data = torch.tensor(float(rank))
        tk_dist.broadcast(data, src=2, group=group)
        with pytest.raises(RankError, match=r"are \[1, 2\]"):
            tk_dist.broadcast(data, src=0, group=group)
        parts = tk_dist.gather(torch.tensor(rank), dst=2, group=group)
        total = torch.tensor(rank)
        tk_dist.all_reduce(total, group=group)
        return data.item(), [int(part) for part in parts], int(total)

    assert launch(sub_group, 3) == [None, (2.0, [], 3), (2.0, [1, 2], 3)]


def test_a_barrier_waits_for_all(tmp_path: object) -> None:
    assert launch(tk_dist.barrier, 3) == [None] * 3
