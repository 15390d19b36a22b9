"""Results in the order of the data set, for any number of ranks and any split."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

import pytest
import torch.distributed as torch_dist

import tk_dist
from tk_dist import DeviceError, ResultsError, collect_results, launch


def round_robin(rank: int, world_size: int, size: int) -> list[int]:
    return list(range(rank, size, world_size))


def padded(rank: int, world_size: int, size: int) -> list[int]:
    total = -(-size // world_size) * world_size
    return [index % size for index in range(rank, total, world_size)]


@pytest.mark.parametrize("tmpdir", [False, True], ids=["group", "folder"])
@pytest.mark.parametrize("nproc", [1, 2, 3, 4])
def test_parts_are_interleaved_and_padding_is_cut(nproc: int, tmpdir: bool, tmp_path: Path) -> None:
    sizes = (0, 1, 3, 7, 8)
    folder = str(tmp_path) if tmpdir else None

    def collected() -> list[Any]:
        rank, world_size = tk_dist.get_dist_info()
        lists = []
        for size in sizes:
            even = padded(rank, world_size, size) if size else []
            for part in (even, round_robin(rank, world_size, size)):
                lists.append(collect_results(part, size, tmpdir=folder))
        return lists

    first, *others = launch(collected, nproc)

    assert first == [list(range(size)) for size in sizes for _ in range(2)]
    assert others == [[None] * len(first)] * (nproc - 1)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("nproc", [1, 2])
def test_none_is_a_result(nproc: int) -> None:
    def collected() -> Any:
        return collect_results([None] * (4 // nproc), 4)

    assert launch(collected, nproc)[0] == [None] * 4


def test_a_size_beyond_the_results_cuts_nothing() -> None:
    assert launch(lambda: collect_results([tk_dist.get_rank()], 9), 2) == [[0, 1], None]
    assert collect_results([1, 2], 9) == [1, 2]


def test_results_that_cannot_be_pickled_are_refused_on_every_rank() -> None:
    def refused() -> None:
        with pytest.raises(ResultsError, match="rank 1: TypeError"):
            collect_results([threading.Lock()] if tk_dist.get_rank() else [], 2)

    launch(refused, 2)


def test_ranks_in_different_folders_need_no_shared_one(tmp_path: Path) -> None:
    def elsewhere() -> Any:
        own = tmp_path / str(tk_dist.get_rank())
        own.mkdir()
        os.chdir(own)
        collected = collect_results([tk_dist.get_rank()], 2)
        return collected, os.listdir(own)

    assert launch(elsewhere, 2) == [([0, 1], []), (None, [])]


def test_a_folder_that_is_not_shared_is_said_on_every_rank(tmp_path: Path) -> None:
    def not_shared() -> None:
        own = tmp_path / str(tk_dist.get_rank())
        with pytest.raises(FileNotFoundError, match=r"does not see part_1\.pkl.*leave tmpdir out"):
            collect_results([1], 2, tmpdir=str(own))

    launch(not_shared, 2)


def test_an_unknown_device_is_refused() -> None:
    with pytest.raises(DeviceError, match="'tpu'; known: cpu"):
        collect_results([], 0, device="tpu")


def test_a_folder_together_with_an_accelerator_is_refused() -> None:
    with pytest.raises(DeviceError, match="leave tmpdir out"):
        collect_results([], 0, device="gpu", tmpdir="x")


def test_the_short_forms_do_the_same(tmp_path: Path) -> None:
    def short() -> tuple[Any, ...]:
        own = [tk_dist.get_rank()]
        return (
            tk_dist.collect_results_cpu(own, 2),
            tk_dist.collect_results_cpu(own, 2, str(tmp_path)),
            tk_dist.collect_results_gpu(own, 2),
            collect_results(own, 2, device="gpu"),
        )

    assert launch(short, 2)[0] == ([0, 1],) * 4


def test_in_a_sub_group_its_first_rank_receives() -> None:
    def sub_group() -> Any:
        group = torch_dist.new_group([1, 2])
        rank = tk_dist.get_rank()
        return collect_results([rank], 2, group=group) if rank else "outside"

    assert launch(sub_group, 3) == ["outside", [1, 2], None]
