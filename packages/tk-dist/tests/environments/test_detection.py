"""Which launcher started the process."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tk_dist import get_launched_rank, launcher_environment

TORCHRUN = {"RANK": "3", "WORLD_SIZE": "8", "LOCAL_WORLD_SIZE": "4"}
SLURM = {"SLURM_PROCID": "2", "SLURM_NTASKS": "8", "SLURM_STEP_NUM_TASKS": "4"}
MPI = {
    "OMPI_COMM_WORLD_RANK": "5",
    "OMPI_COMM_WORLD_SIZE": "6",
    "OMPI_COMM_WORLD_LOCAL_RANK": "1",
}


@pytest.mark.parametrize(
    ("variables", "rank"),
    [({}, 0), (TORCHRUN, 3), (SLURM, 2), (MPI, 5), ({**SLURM, **TORCHRUN}, 3)],
)
def test_the_rank_is_the_launchers(variables: dict[str, str], rank: int) -> None:
    assert get_launched_rank(variables) == rank


@pytest.mark.parametrize(
    ("variables", "command"),
    [
        (TORCHRUN, "torchrun --standalone --nproc-per-node 4"),
        (
            {**TORCHRUN, "GROUP_WORLD_SIZE": "2", "MASTER_ADDR": "head", "MASTER_PORT": "29400"},
            "torchrun --nnodes 2 --rdzv-backend c10d --rdzv-endpoint head:29400 --nproc-per-node 4",
        ),
        (SLURM, "srun --ntasks 4"),
        (MPI, "mpirun -n 6"),
    ],
)
def test_the_command_starts_as_many_processes_again(
    variables: dict[str, str], command: str
) -> None:
    environment = launcher_environment(variables)

    assert environment is not None
    assert " ".join(environment.command()) == command


def test_an_allocation_of_slurm_is_no_launcher() -> None:
    assert launcher_environment({"SLURM_NTASKS": "8", "SLURM_PROCID": "0"}) is None


def test_without_a_launcher_there_is_no_environment() -> None:
    assert launcher_environment({}) is None


def test_torch_is_not_loaded_to_find_out() -> None:
    code = "import sys, tk_dist; tk_dist.get_launched_rank(); sys.exit('torch' in sys.modules)"

    subprocess.run([sys.executable, "-c", code], check=True)
