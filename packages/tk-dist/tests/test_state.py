"""Who am I? Alone, in a group, and in a part of it."""

from __future__ import annotations

import subprocess
import sys

import pytest
import torch
import torch.distributed as torch_dist
from dist_jobs import free_port, run_job, torchrun_variables

import tk_dist
from tk_dist import GroupError, launch


def test_alone_this_is_rank_0_of_1() -> None:
    assert not tk_dist.is_distributed()
    assert tk_dist.get_dist_info() == (0, 1)
    assert tk_dist.is_main_process()
    assert tk_dist.get_backend() is None
    assert (tk_dist.get_local_rank(), tk_dist.get_local_size()) == (0, 1)
    assert tk_dist.get_local_group() is None
    tk_dist.barrier()
    tk_dist.init_local_group(0, 1)


def test_alone_there_is_no_default_group() -> None:
    with pytest.raises(GroupError, match="init_dist"):
        tk_dist.get_default_group()


def test_a_torch_without_distributed_is_one_process() -> None:
    code = """
import torch
import torch.distributed as torch_dist
torch_dist.is_available = lambda: False
del torch_dist.is_initialized
import tk_dist
assert tk_dist.get_dist_info() == (0, 1)
assert tk_dist.all_gather(torch.ones(1)) == [torch.ones(1)]
"""
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    "variables",
    [
        {"RANK": "5", "LOCAL_RANK": "1", "WORLD_SIZE": "8"},
        {"SLURM_PROCID": "5", "SLURM_LOCALID": "1", "SLURM_NTASKS": "8"},
        {"OMPI_COMM_WORLD_RANK": "5", "OMPI_COMM_WORLD_LOCAL_RANK": "1"},
    ],
    ids=["torchrun", "slurm", "mpi"],
)
def test_the_local_rank_is_the_launchers_whoever_it_is(
    variables: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)

    assert tk_dist.get_local_rank() == 1


def test_the_local_rank_is_0_on_a_node_of_unequal_size(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"RANK": "5", "LOCAL_RANK": "0", "WORLD_SIZE": "8"}.items():
        monkeypatch.setenv(name, value)

    assert tk_dist.get_local_rank() == 0


def test_master_only_runs_on_rank_0() -> None:
    @tk_dist.master_only
    def answer(value: int) -> int:
        return value

    assert answer(3) == 3
    assert launch(lambda: answer(value=4), 3) == [4, None, None]
    assert answer.__name__ == "answer"


def test_in_a_group_the_answers_are_the_groups() -> None:
    def answers() -> tuple[object, ...]:
        same = tk_dist.get_default_group() is torch_dist.group.WORLD
        return tk_dist.get_backend(), tk_dist.is_main_process(), tk_dist.is_distributed(), same

    assert launch(answers, 2) == [("gloo", True, True, True), ("gloo", False, True, True)]


def test_in_a_sub_group_ranks_count_anew_and_are_minus_1_outside() -> None:
    def ranks() -> tuple[int, int, bool]:
        group = torch_dist.new_group([1, 2])
        return *tk_dist.get_dist_info(group), tk_dist.is_main_process(group)

    assert launch(ranks, 3) == [(-1, -1, False), (0, 2, True), (1, 2, False)]


def test_a_collective_of_a_group_without_this_rank_is_refused() -> None:
    def outside() -> None:
        group = torch_dist.new_group([1])
        if tk_dist.get_rank() == 0:
            with pytest.raises(GroupError, match="not in"):
                tk_dist.all_reduce(torch.ones(1), group=group)

    launch(outside, 2)


def by_hand(port: int, after: str) -> object:
    def fn() -> object:
        torch_dist.init_process_group("gloo")
        rank = tk_dist.get_rank()
        if after == "nothing":
            with pytest.raises(GroupError, match="init_local_group"):
                tk_dist.get_local_group()
            return None
        tk_dist.init_local_group(rank // 2, 2)
        tk_dist.init_local_group(rank // 2, 2)  # a second time changes nothing
        return tk_dist.get_local_rank(), tk_dist.get_local_size()

    variables = [torchrun_variables(rank, 4, port) for rank in range(4)]
    return run_job(fn, variables)


def test_a_group_made_by_hand_does_not_know_its_nodes() -> None:
    assert by_hand(free_port(), "nothing") == [None] * 4


def test_a_group_made_by_hand_can_be_told_its_nodes() -> None:
    assert by_hand(free_port(), "told") == [(0, 2), (1, 2), (0, 2), (1, 2)]


def test_nodes_that_do_not_fit_are_refused() -> None:
    def refused() -> None:
        with pytest.raises(GroupError, match="cannot be divided into nodes of 2"):
            tk_dist.init_local_group(0, 2)
        with pytest.raises(GroupError, match="node_rank=3 was given"):
            tk_dist.init_local_group(3, 1)

    def without_nodes() -> None:
        torch_dist.destroy_process_group()
        torch_dist.init_process_group("gloo", store=torch_dist.HashStore(), rank=0, world_size=1)
        refused()

    launch(without_nodes, 1)


def test_what_was_known_of_a_group_ends_with_it() -> None:
    def ended() -> tuple[int, int]:
        torch_dist.destroy_process_group()
        return tk_dist.get_local_rank(), tk_dist.get_local_size()

    assert launch(ended, 2)[1] == (0, 1)
