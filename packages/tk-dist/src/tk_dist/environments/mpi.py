"""Processes started by mpirun: Open MPI, Intel MPI and MPICH, MVAPICH."""

from __future__ import annotations

from typing import ClassVar

from .environment import Environment, Place

# One tuple for each question, in the order of the three families.
_RANK = ("OMPI_COMM_WORLD_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK")
_SIZE = ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE")
_LOCAL_RANK = ("OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "MV2_COMM_WORLD_LOCAL_RANK")
_LOCAL_SIZE = ("OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "MV2_COMM_WORLD_LOCAL_SIZE")


class MpiEnvironment(Environment):
    """The variables that mpirun gives each process; MPI itself is not used."""

    name: ClassVar[str] = "mpi"

    def detect(self) -> bool:
        """Say whether a family's local rank is set."""
        return any(self.has(name) for name in _LOCAL_RANK)

    def rank(self) -> int | None:
        """Return the rank of whichever family started the process."""
        return self.number(*_RANK) if any(self.has(name) for name in _RANK) else None

    def command(self) -> list[str]:
        """Return mpirun with the number of processes."""
        return ["mpirun", "-n", self.text(*_SIZE)]

    def local_rank(self) -> int | None:
        """Return the local rank of whichever family started the process."""
        return self.number(*_LOCAL_RANK) if self.detect() else None

    def place(self, port: int | None = None) -> Place:
        """Return the place; MASTER_ADDR is needed only where there are several nodes."""
        world_size = self.number(*_SIZE)
        told = any(self.has(name) for name in _LOCAL_SIZE)
        local_size = self.number(*_LOCAL_SIZE) if told else None
        on_one_node = local_size == world_size and not self.has("MASTER_ADDR")
        address = "127.0.0.1" if on_one_node else self.text("MASTER_ADDR")
        return Place(
            rank=self.number(*_RANK),
            world_size=world_size,
            local_rank=self.number(*_LOCAL_RANK),
            local_size=local_size,
            init_method=self.tcp_address(address, port),
        )

    def remedy(self) -> str:
        """Return mpirun's command line."""
        return "start the program with: mpirun -n N -x MASTER_ADDR=<first host> python program.py"
