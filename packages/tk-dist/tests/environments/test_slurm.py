"""Slurm's variables and node lists, read without a shell."""

from __future__ import annotations

import pytest

from tk_dist import LauncherError, MissingVariableError
from tk_dist.environments import Place, SlurmEnvironment, expand_node_list

STEP = {
    "SLURM_PROCID": "5",
    "SLURM_NTASKS": "8",
    "SLURM_LOCALID": "1",
    "SLURM_NODELIST": "gpu[03-04]",
}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("login", ["login"]),
        ("a,b", ["a", "b"]),
        ("n[1-3]", ["n1", "n2", "n3"]),
        ("n[08-11]", ["n08", "n09", "n10", "n11"]),
        ("n[001,7],login", ["n001", "n7", "login"]),
        ("r[1-2]c[3-4]", ["r1c3", "r1c4", "r2c3", "r2c4"]),
        ("n[1-2].site,x", ["n1.site", "n2.site", "x"]),
    ],
)
def test_a_node_list_is_expanded(text: str, names: list[str]) -> None:
    assert expand_node_list(text) == names


@pytest.mark.parametrize("text", ["n[1-2", "n1]", "n[a-b]", "n[]"])
def test_a_broken_node_list_is_refused(text: str) -> None:
    with pytest.raises(LauncherError, match="MASTER_ADDR"):
        expand_node_list(text)


def test_the_place_is_read_and_the_first_node_is_the_meeting_point() -> None:
    assert SlurmEnvironment(STEP).place() == Place(
        rank=5, world_size=8, local_rank=1, init_method="tcp://gpu03:29500"
    )


def test_a_given_address_and_port_win() -> None:
    variables = {**STEP, "MASTER_ADDR": "fe80::1", "MASTER_PORT": "1234"}

    assert SlurmEnvironment(variables).place().init_method == "tcp://[fe80::1]:1234"
    assert SlurmEnvironment(variables).place(port=99).init_method == "tcp://[fe80::1]:99"


@pytest.mark.parametrize(("node", "size"), [("0", 2), ("2", 2), ("3", 1), ("9", None)])
def test_the_ranks_of_a_node_are_counted(node: str, size: int | None) -> None:
    variables = {**STEP, "SLURM_TASKS_PER_NODE": "2(x3),1", "SLURM_NODEID": node}

    assert SlurmEnvironment(variables).place().local_size == size


def test_a_missing_local_rank_is_named_not_guessed() -> None:
    variables = {name: value for name, value in STEP.items() if name != "SLURM_LOCALID"}

    with pytest.raises(MissingVariableError, match=r"SLURM_LOCALID.*srun"):
        SlurmEnvironment(variables).place()


def test_a_variable_that_is_no_number_is_refused() -> None:
    with pytest.raises(LauncherError, match="SLURM_PROCID is 'x', but an integer was expected"):
        SlurmEnvironment({**STEP, "SLURM_PROCID": "x"}).place()


def test_two_jobs_and_two_steps_of_a_node_meet_at_different_ports() -> None:
    jobs = [("7000", "0"), ("7001", "0"), ("7000", "1"), ("27001", "1")]
    places = [
        SlurmEnvironment({**STEP, "SLURM_JOB_ID": job, "SLURM_STEP_ID": step}).place()
        for job, step in jobs
    ]
    ports = [int((place.init_method or "").rpartition(":")[2]) for place in places]

    assert len(set(ports)) == 4
    assert all(1024 < port < 32768 for port in ports)
