"""What launchers tell a process about its place among the others.

Pure parsing of variables: no shell is run, nothing is written.
"""

from .detection import ENVIRONMENTS, get_launched_rank, infer_launcher, launcher_environment
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
    "get_launched_rank",
    "infer_launcher",
    "launcher_environment",
]
