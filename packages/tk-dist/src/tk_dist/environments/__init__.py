"""What launchers tell a process about its place among the others.

Pure parsing of variables: no shell is run, nothing is written.
"""

from .environment import Environment, Place
from .mpi import MpiEnvironment
from .slurm import SlurmEnvironment, expand_node_list
from .torchrun import TorchrunEnvironment

__all__ = [
    "ENVIRONMENTS",
    "Environment",
    "MpiEnvironment",
    "Place",
    "SlurmEnvironment",
    "TorchrunEnvironment",
    "expand_node_list",
]

# In the order of detection: torchrun may run inside a Slurm job, and Slurm may start MPI.
ENVIRONMENTS: tuple[type[Environment], ...] = (
    TorchrunEnvironment,
    SlurmEnvironment,
    MpiEnvironment,
)
