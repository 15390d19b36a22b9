"""Joining the group of a job: torchrun, Slurm and MPI, on CPU."""

from __future__ import annotations

import multiprocessing
import os
import sys
import types
from datetime import timedelta

import pytest
import torch
import torch.distributed as torch_dist
from dist_jobs import free_port, run_job, torchrun_variables

import tk_dist
from tk_dist import DataTypeError, GroupError, LauncherError, MissingVariableError, init_dist

SLURM = {"SLURM_STEP_NUM_TASKS": "2", "SLURM_NODELIST": "localhost", "SLURM_TASKS_PER_NODE": "2"}


def slurm_variables(rank: int, port: int) -> dict[str, str]:
    own = {"SLURM_PROCID": str(rank), "SLURM_LOCALID": str(rank), "SLURM_NODEID": "0"}
    return {**SLURM, **own, "MASTER_PORT": str(port)}


def mpi_variables(rank: int, port: int) -> dict[str, str]:
    names = {"RANK": rank, "SIZE": 2, "LOCAL_RANK": rank, "LOCAL_SIZE": 2}
    own = {f"OMPI_COMM_WORLD_{name}": str(value) for name, value in names.items()}
    return {**own, "MASTER_PORT": str(port)}


@pytest.mark.parametrize(
    ("variables", "launcher"),
    [
        ({}, "none"),
        ({"WORLD_SIZE": "1"}, "pytorch"),
        ({"SLURM_STEP_NUM_TASKS": "1"}, "slurm"),
        ({"SLURM_NTASKS": "1", "SLURM_PROCID": "0"}, "none"),
        ({"OMPI_COMM_WORLD_LOCAL_RANK": "0"}, "mpi"),
        ({"MPI_LOCALRANKID": "0"}, "mpi"),
        ({"WORLD_SIZE": "1", "SLURM_STEP_NUM_TASKS": "1"}, "pytorch"),
        ({"SLURM_STEP_NUM_TASKS": "1", "OMPI_COMM_WORLD_LOCAL_RANK": "0"}, "slurm"),
    ],
)
def test_the_launcher_is_inferred_in_a_fixed_order(
    variables: dict[str, str], launcher: str
) -> None:
    assert tk_dist.infer_launcher(variables) == launcher


def test_the_launcher_is_inferred_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLURM_STEP_NUM_TASKS", "4")

    assert tk_dist.infer_launcher() == "slurm"


def joined(launcher: str) -> tuple[object, ...]:
    """Join, reduce, look at the surroundings, close."""
    before = dict(os.environ), multiprocessing.get_start_method(allow_none=True)
    init_dist(launcher, backend="gloo", timeout=30)
    total = torch.tensor(tk_dist.get_rank() + 1)
    tk_dist.all_reduce(total)
    local = tk_dist.get_local_rank(), tk_dist.get_local_size()
    unchanged = before == (dict(os.environ), multiprocessing.get_start_method(allow_none=True))
    rank, backend = tk_dist.get_rank(), tk_dist.get_backend()
    tk_dist.close_dist()
    return rank, int(total), local, backend, unchanged, tk_dist.is_distributed()


@pytest.mark.parametrize("launcher", ["pytorch", "slurm", "mpi"])
def test_two_ranks_join_on_cpu_and_nothing_else_changes(launcher: str) -> None:
    port = free_port()
    variables = {
        "pytorch": [torchrun_variables(rank, 2, port) for rank in range(2)],
        "slurm": [slurm_variables(rank, port) for rank in range(2)],
        "mpi": [mpi_variables(rank, port) for rank in range(2)],
    }[launcher]

    values = run_job(lambda: joined(launcher), variables)

    assert values == [(rank, 3, (rank, 2), "gloo", True, False) for rank in range(2)]


def test_the_default_backend_on_cpu_is_gloo(monkeypatch: pytest.MonkeyPatch) -> None:
    if tk_dist.get_device() != "cpu":
        pytest.skip("this machine has an accelerator")

    def backend() -> str | None:
        init_dist("pytorch")
        return tk_dist.get_backend()

    assert run_job(backend, [torchrun_variables(0, 1, free_port())]) == ["gloo"]


def test_several_backends_talk_on_cpu() -> None:
    def both() -> tuple[float, str]:
        init_dist("pytorch", backend="cpu:gloo")
        total = torch.ones(1)
        tk_dist.all_reduce(total)
        return total.item(), str(tk_dist.get_comm_device())

    port = free_port()
    variables = [torchrun_variables(rank, 2, port) for rank in range(2)]

    assert run_job(both, variables) == [(2.0, "cpu")] * 2


def test_a_group_can_be_made_again_in_one_process() -> None:
    def twice() -> list[int]:
        sizes = []
        for _ in range(2):
            init_dist("pytorch", backend="gloo", init_method=None, store=torch_dist.HashStore())
            sizes.append(tk_dist.get_world_size())
            tk_dist.close_dist()
        return sizes

    assert run_job(twice, [torchrun_variables(0, 1, free_port())]) == [[1, 1]]


def test_the_ranks_of_each_node_find_each_other() -> None:
    def node() -> tuple[int, int, list[int]]:
        init_dist("pytorch", backend="gloo")
        group = tk_dist.get_local_group()
        ranks = torch_dist.get_process_group_ranks(group)
        return tk_dist.get_local_rank(), tk_dist.get_local_size(), ranks

    port = free_port()
    variables = [torchrun_variables(rank, 3, port) for rank in range(3)]
    for own, local, nodes, size in zip(variables, "010", "001", "221", strict=True):
        own.update(LOCAL_RANK=local, GROUP_RANK=nodes, LOCAL_WORLD_SIZE=size)

    assert run_job(node, variables) == [(0, 2, [0, 1]), (1, 2, [0, 1]), (0, 1, [2])]


def test_the_group_of_a_node_is_made_when_it_is_asked_for() -> None:
    def num_groups() -> tuple[int, int]:
        init_dist("pytorch", backend="gloo")
        at_first = len(torch_dist.distributed_c10d._world.pg_map)
        tk_dist.get_local_group()
        return at_first, len(torch_dist.distributed_c10d._world.pg_map)

    port = free_port()
    variables = [torchrun_variables(rank, 2, port) for rank in range(2)]
    for rank, own in enumerate(variables):
        own.update(LOCAL_RANK="0", GROUP_RANK=str(rank), LOCAL_WORLD_SIZE="1")

    assert run_job(num_groups, variables) == [(1, 2)] * 2


def test_a_second_group_is_refused() -> None:
    def twice() -> None:
        with pytest.raises(GroupError, match="close_dist"):
            init_dist("pytorch", backend="gloo")

    tk_dist.launch(twice, 1)


@pytest.mark.parametrize(
    ("launcher", "remedy"),
    [("pytorc", "use one of .*pytorch"), ("none", "do not call init_dist"), ("x", "infer_")],
)
def test_an_unknown_launcher_is_refused(launcher: str, remedy: str) -> None:
    with pytest.raises(LauncherError, match=remedy):
        init_dist(launcher)


def test_an_unknown_init_backend_is_refused() -> None:
    with pytest.raises(LauncherError, match="colossalai"):
        init_dist("pytorch", init_backend="colossalai")


@pytest.mark.parametrize("missing", ["RANK", "LOCAL_RANK", "WORLD_SIZE", "MASTER_ADDR"])
def test_a_missing_variable_is_named(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in torchrun_variables(0, 1, 29500).items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv(missing)

    with pytest.raises(MissingVariableError, match=f"variable {missing}, .*torchrun"):
        init_dist("pytorch", backend="gloo")


def test_a_backend_without_its_device_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in torchrun_variables(0, 1, 29500).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)

    with pytest.raises(LauncherError, match=r"no cuda device .* backend='gloo'"):
        init_dist("pytorch", backend="nccl")


@pytest.mark.parametrize("timeout", ["30", True, [1]])
def test_a_timeout_of_another_type_is_refused(timeout: object) -> None:
    with pytest.raises(DataTypeError, match="seconds were expected"):
        init_dist("pytorch", backend="gloo", timeout=timeout)


def test_a_timeout_may_be_a_timedelta() -> None:
    def joined_with_timedelta() -> bool:
        init_dist("pytorch", backend="gloo", timeout=timedelta(seconds=9))
        return tk_dist.is_distributed()

    assert run_job(joined_with_timedelta, [torchrun_variables(0, 1, free_port())]) == [True]


def test_a_torch_without_distributed_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch_dist, "is_available", lambda: False)

    with pytest.raises(LauncherError, match=r"built without torch\.distributed"):
        init_dist("pytorch")


def test_deepspeed_is_told_of_the_same_group() -> None:
    def told() -> dict[str, object]:
        calls: dict[str, object] = {}
        module = types.ModuleType("deepspeed")
        module.init_distributed = calls.update  # type: ignore[attr-defined]
        sys.modules["deepspeed"] = module
        init_dist("pytorch", backend="gloo", init_backend="deepspeed")
        return calls

    [calls] = run_job(told, [torchrun_variables(0, 1, free_port())])

    assert calls == {"dist_backend": "gloo", "auto_mpi_discovery": False}


def test_without_deepspeed_the_remedy_is_said() -> None:
    def refused() -> bool:
        sys.modules["deepspeed"] = None  # type: ignore[assignment]
        with pytest.raises((LauncherError, ModuleNotFoundError), match="deepspeed"):
            init_dist("pytorch", backend="gloo", init_backend="deepspeed")
        return tk_dist.is_distributed()

    assert run_job(refused, [torchrun_variables(0, 1, free_port())]) == [False]


def test_closing_without_a_group_does_nothing() -> None:
    tk_dist.close_dist()

    assert not tk_dist.is_distributed()


def test_a_block_has_the_group_and_closes_it() -> None:
    def block() -> tuple[bool, bool]:
        with tk_dist.distributed(backend="gloo"):
            inside = tk_dist.is_distributed()
        return inside, tk_dist.is_distributed()

    port = free_port()
    variables = [torchrun_variables(rank, 2, port) for rank in range(2)]

    assert run_job(block, variables) == [(True, False)] * 2


def test_a_block_without_a_launcher_is_one_process() -> None:
    with tk_dist.distributed("none"):
        assert tk_dist.get_dist_info() == (0, 1)
