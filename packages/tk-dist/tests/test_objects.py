"""Collectives of picklable objects."""

from __future__ import annotations

from typing import Any

import pytest
import torch.distributed as torch_dist

import tk_dist
from tk_dist import DataTypeError, RankError, launch


def test_alone_the_object_itself_comes_back() -> None:
    data = object()
    listed = [data]
    tk_dist.broadcast_object_list(listed)

    assert listed == [data]
    assert tk_dist.all_gather_object(data) == [data]
    assert tk_dist.gather_object(data) == [data]


@pytest.mark.parametrize("data", [("a",), "a", {"a": 1}])
def test_only_a_list_is_filled(data: Any) -> None:
    with pytest.raises(DataTypeError, match="list of one"):
        tk_dist.broadcast_object_list(data)


def test_a_rank_that_does_not_exist_is_refused_alone_too() -> None:
    with pytest.raises(RankError, match="src=2"):
        tk_dist.broadcast_object_list([1], src=2)
    with pytest.raises(RankError, match="dst=2"):
        tk_dist.gather_object(1, dst=2)


@pytest.mark.parametrize("nproc", [2, 3, 4])
def test_objects_arrive_in_rank_order(nproc: int) -> None:
    def exchanged() -> tuple[Any, ...]:
        rank = tk_dist.get_rank()
        own = {"rank": rank, "text": "x" * rank}
        listed: list[Any] = [own, None if rank == 0 else [1]]
        tk_dist.broadcast_object_list(listed, src=1)
        return tk_dist.all_gather_object(own), tk_dist.gather_object(own, dst=1), listed

    everyone = [{"rank": rank, "text": "x" * rank} for rank in range(nproc)]
    values = launch(exchanged, nproc)

    for rank, (gathered, at_one, listed) in enumerate(values):
        assert gathered == everyone
        assert at_one == (everyone if rank == 1 else None)
        assert listed == [everyone[1], [1]]


def test_in_a_sub_group_dst_is_a_global_rank() -> None:
    def sub_group() -> Any:
        group = torch_dist.new_group([1, 2])
        rank = tk_dist.get_rank()
        return tk_dist.gather_object(rank, dst=2, group=group) if rank else None

    assert launch(sub_group, 3) == [None, None, [1, 2]]
