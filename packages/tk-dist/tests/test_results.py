"""Results in the order of the data set, for any number of ranks and any split."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.distributed as torch_dist

import tk_dist
from tk_dist import DeviceError, ResultsError, collect_results, launch

Split = Callable[[int, int, int], list[int]]


def round_robin(rank: int, world_size: int, size: int) -> list[int]:
    return list(range(rank, size, world_size))


def contiguous(rank: int, world_size: int, size: int) -> list[int]:
    share = -(-size // world_size)
    return list(range(size))[rank * share : (rank + 1) * share]


def shuffled(rank: int, world_size: int, size: int) -> list[int]:
    order = torch.randperm(size, generator=torch.Generator().manual_seed(0)).tolist()
    return order[rank::world_size]


def padded(rank: int, world_size: int, size: int) -> list[int]:
    total = -(-size // world_size) * world_size
    return [index % size for index in range(rank, total, world_size)]


def all_on_the_last(rank: int, world_size: int, size: int) -> list[int]:
    return list(range(size)) if rank == world_size - 1 else []


@pytest.mark.parametrize("tmpdir", [False, True], ids=["group", "folder"])
@pytest.mark.parametrize("nproc", [1, 2, 3, 4])
def test_by_index_every_split_gives_the_same(nproc: int, tmpdir: bool, tmp_path: Path) -> None:
    splits: list[Split] = [round_robin, contiguous, shuffled, padded, all_on_the_last]

    def collected() -> list[Any]:
        lists = []
        for split in splits:
            for size in (0, 1, 7):
                indices = split(*tk_dist.get_dist_info(), size) if size else []
                results = [f"sample {index}" for index in indices]
                folder = str(tmp_path) if tmpdir else None
                lists.append(collect_results(results, size, tmpdir=folder, indices=indices))
        return lists

    expected = [[f"sample {index}" for index in range(size)] for size in (0, 1, 7)] * len(splits)
    first, *others = launch(collected, nproc)

    assert first == expected
    assert others == [[None] * len(expected)] * (nproc - 1)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("nproc", [1, 2, 3, 4])
@pytest.mark.parametrize("size", [0, 1, 3, 7, 8])
def test_without_indices_parts_are_interleaved_and_padding_is_cut(nproc: int, size: int) -> None:
    def collected() -> tuple[Any, Any]:
        rank, world_size = tk_dist.get_dist_info()
        even = padded(rank, world_size, size) if size else []
        uneven = round_robin(rank, world_size, size)
        return collect_results(even, size), collect_results(uneven, size)

    assert launch(collected, nproc)[0] == (list(range(size)), list(range(size)))


@pytest.mark.parametrize("nproc", [1, 2])
def test_none_is_a_result(nproc: int) -> None:
    def collected() -> tuple[Any, Any]:
        rank = tk_dist.get_rank()
        indices = round_robin(rank, nproc, 4)
        return collect_results([None] * len(indices), 4), collect_results(
            [None] * len(indices), 4, indices=indices
        )

    assert launch(collected, nproc)[0] == ([None] * 4, [None] * 4)


def test_a_size_beyond_the_results_cuts_nothing() -> None:
    assert launch(lambda: collect_results([tk_dist.get_rank()], 9), 2) == [[0, 1], None]
    assert collect_results([1, 2], 9) == [1, 2]


def test_a_sample_that_two_ranks_brought_counts_once() -> None:
    def collected() -> Any:
        rank = tk_dist.get_rank()
        return collect_results([f"{rank}a", f"{rank}b"], 3, indices=[rank, rank + 1])

    assert launch(collected, 2)[0] == ["0a", "0b", "1b"]


def test_samples_that_nobody_brought_are_reported(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, logger="tk.dist"):
        assert collect_results(["c", "a"], 40, indices=[2, 0]) == ["a", "c"]

    assert "38 of 40 samples: 1, 3, 4," in caplog.text


@pytest.mark.parametrize("nproc", [1, 2])
@pytest.mark.parametrize(
    ("indices", "text"),
    [([0], "2 results came with 1 indices"), ([0, 9], "index 9 is outside"), ([-1, 0], "index -1")],
)
def test_indices_that_do_not_fit_are_refused_on_every_rank(
    nproc: int, indices: list[int], text: str
) -> None:
    def refused() -> None:
        own = indices if tk_dist.get_rank() == nproc - 1 else [1, 2]
        with pytest.raises(ResultsError, match=text):
            collect_results(["x", "y"], 4, indices=own)

    launch(refused, nproc)


def test_indices_on_some_ranks_only_are_refused_on_every_rank() -> None:
    def refused() -> None:
        with pytest.raises(ResultsError, match="rank 1 gave no indices"):
            collect_results([1], 2, indices=None if tk_dist.get_rank() else [0])

    launch(refused, 2)


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


def test_indices_may_be_a_tensor() -> None:
    assert collect_results(["b", "a"], 2, indices=torch.tensor([1, 0])) == ["a", "b"]  # type: ignore[arg-type]
