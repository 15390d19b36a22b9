"""Processes started by torchrun (or anything else that sets its variables)."""

from __future__ import annotations

from typing import ClassVar

from .environment import Environment, Place


class TorchrunEnvironment(Environment):
    """RANK, LOCAL_RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT, set for each process."""

    name: ClassVar[str] = "pytorch"

    def detect(self) -> bool:
        """Say whether WORLD_SIZE is set."""
        return self.has("WORLD_SIZE")

    def rank(self) -> int | None:
        """Return RANK."""
        return self.number("RANK") if self.has("RANK") else None

    def command(self) -> list[str]:
        """Return torchrun with this machine's number of processes.

        Of several machines each runs it, and they meet where they met before.
        """
        nodes = self.optional("GROUP_WORLD_SIZE") or "1"
        meeting = ["--standalone"]
        if nodes != "1":
            address = f"{self.text('MASTER_ADDR')}:{self.text('MASTER_PORT')}"
            meeting = ["--nnodes", nodes, "--rdzv-backend", "c10d", "--rdzv-endpoint", address]
        number = self.optional("LOCAL_WORLD_SIZE") or "1"
        return ["torchrun", *meeting, "--nproc-per-node", number]

    def local_rank(self) -> int | None:
        """Return LOCAL_RANK."""
        return self.number("LOCAL_RANK") if self.has("LOCAL_RANK") else None

    def place(self, port: int | None = None) -> Place:
        """Return the place; the rendezvous is torch's own ``env://``.

        torchrun may keep the store in its agent, which only ``env://`` knows; so
        the port is MASTER_PORT unless the caller insists on another.
        """
        address, master_port = self.text("MASTER_ADDR"), self.number("MASTER_PORT")
        return Place(
            rank=self.number("RANK"),
            world_size=self.number("WORLD_SIZE"),
            local_rank=self.number("LOCAL_RANK"),
            local_size=self.number("LOCAL_WORLD_SIZE") if self.has("LOCAL_WORLD_SIZE") else None,
            node=self.optional("GROUP_RANK"),
            init_method="env://"
            if port is None or port == master_port
            else self.tcp_address(address, port),
        )

    def remedy(self) -> str:
        """Return torchrun's command line."""
        return "start the program with: torchrun --nproc-per-node N program.py"
