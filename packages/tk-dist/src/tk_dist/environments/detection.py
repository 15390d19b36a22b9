"""Which launcher started this process, and what it says; torch is not loaded for it."""

from __future__ import annotations

from collections.abc import Mapping

from .environment import Environment
from .mpi import MpiEnvironment
from .slurm import SlurmEnvironment
from .torchrun import TorchrunEnvironment

# In the order of detection: torchrun may run inside a Slurm job, and Slurm may start MPI.
ENVIRONMENTS: tuple[type[Environment], ...] = (
    TorchrunEnvironment,
    SlurmEnvironment,
    MpiEnvironment,
)


def infer_launcher(variables: Mapping[str, str] | None = None) -> str:
    """Return who started this process: "pytorch" (torchrun), "slurm", "mpi", or "none".

    Args:
        variables: to look at instead of the environment.
    """
    environment = launcher_environment(variables)
    return "none" if environment is None else environment.name


def launcher_environment(variables: Mapping[str, str] | None = None) -> Environment | None:
    """Return what the launcher of this process says; ``None`` if no launcher started it.

    Args:
        variables: to look at instead of the environment.
    """
    environments = (kind(variables) for kind in ENVIRONMENTS)
    return next((known for known in environments if known.detect()), None)


def get_launched_rank(variables: Mapping[str, str] | None = None) -> int:
    """Return the rank that the launcher gave this process, 0 if no launcher started it.

    For what is decided before there is a process group; ``get_rank`` asks the group.

    Args:
        variables: to look at instead of the environment.
    """
    ranks = (kind(variables).rank() for kind in ENVIRONMENTS)
    return next((rank for rank in ranks if rank is not None), 0)
