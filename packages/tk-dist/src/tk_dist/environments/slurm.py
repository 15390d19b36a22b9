"""Processes started by srun. Node lists are expanded here, without a shell."""

from __future__ import annotations

import itertools
import re
from typing import ClassVar

from ..errors import LauncherError
from .environment import Environment, Place

_TASKS = re.compile(r"(\d+)(?:\(x(\d+)\))?")
_SIZE = ("SLURM_STEP_NUM_TASKS", "SLURM_NTASKS")
# Below the ports that the system hands out by itself, above those of well-known services.
_FIRST_PORT, _NUM_PORTS = 10_000, 20_000


def expand_node_list(text: str) -> list[str]:
    """Return the host names that Slurm's short form stands for.

    ``"n[01-03,7],login"`` gives ``["n01", "n02", "n03", "n7", "login"]``; several
    brackets in one name multiply.
    """
    return [name for part in _split_outside_brackets(text) for name in _expand_one(part, text)]


def _split_outside_brackets(text: str) -> list[str]:
    parts, depth, start = [], 0, 0
    for position, letter in enumerate(text):
        depth += (letter == "[") - (letter == "]")
        if letter == "," and depth == 0:
            parts.append(text[start:position])
            start = position + 1
    parts.append(text[start:])
    return [part.strip() for part in parts if part.strip()]


def _expand_one(part: str, whole: str) -> list[str]:
    pieces = re.split(r"\[([^\[\]]*)\]", part)
    if any(bracket in piece for piece in pieces for bracket in "[]"):
        raise LauncherError(
            f"the Slurm node list {whole!r} has an unpaired bracket in {part!r}; "
            "expected a form like 'node[01-04,7]'; check SLURM_NODELIST, or set MASTER_ADDR"
        )
    choices = [
        _expand_ranges(piece, whole) if index % 2 else [piece] for index, piece in enumerate(pieces)
    ]
    return ["".join(chosen) for chosen in itertools.product(*choices)]


def _expand_ranges(text: str, whole: str) -> list[str]:
    names: list[str] = []
    for item in text.split(","):
        first, dash, last = item.partition("-")
        if not first.isdigit() or (dash and not last.isdigit()):
            raise LauncherError(
                f"the Slurm node list {whole!r} holds {item!r} where a number or a range was "
                "expected; check SLURM_NODELIST, or set MASTER_ADDR"
            )
        numbers = range(int(first), int(last or first) + 1)
        names += [str(number).zfill(len(first)) for number in numbers]
    return names


class SlurmEnvironment(Environment):
    """The variables that srun gives each process, and the node list."""

    name: ClassVar[str] = "slurm"

    def detect(self) -> bool:
        """Say whether srun started the process: an allocation alone starts nothing."""
        return self.has("SLURM_STEP_NUM_TASKS")

    def rank(self) -> int | None:
        """Return SLURM_PROCID."""
        return self.number("SLURM_PROCID") if self.has("SLURM_PROCID") else None

    def command(self) -> list[str]:
        """Return srun with the number of tasks."""
        return ["srun", "--ntasks", self.text(*_SIZE)]

    def local_rank(self) -> int | None:
        """Return SLURM_LOCALID."""
        return self.number("SLURM_LOCALID") if self.has("SLURM_LOCALID") else None

    def place(self, port: int | None = None) -> Place:
        """Return the place; the group meets at MASTER_ADDR, else at the job's first node."""
        return Place(
            rank=self.number("SLURM_PROCID"),
            world_size=self.number(*_SIZE),
            local_rank=self.number("SLURM_LOCALID"),
            local_size=self._local_size(),
            node=self.optional("SLURM_NODEID"),
            init_method=self.tcp_address(self._address(), port),
        )

    def remedy(self) -> str:
        """Return srun's command line."""
        return "start the program with: srun --ntasks N python program.py"

    def default_port(self) -> int:
        """Return a port that differs between jobs, since two of them may share a node."""
        if not self.has("SLURM_JOB_ID"):
            return super().default_port()
        step = self.optional("SLURM_STEP_ID") or "0"
        offset = self.number("SLURM_JOB_ID") + 7 * (int(step) if step.isdigit() else 0)
        return _FIRST_PORT + offset % _NUM_PORTS

    def _address(self) -> str:
        if self.has("MASTER_ADDR"):
            return self.text("MASTER_ADDR")
        names = self.text("SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST", "SLURM_NODELIST")
        return expand_node_list(names)[0]

    def _local_size(self) -> int | None:
        # "2(x3),1": two ranks on each of three nodes, then one on the fourth
        for name in ("SLURM_STEP_TASKS_PER_NODE", "SLURM_TASKS_PER_NODE"):
            if self.has(name) and self.has("SLURM_NODEID"):
                found = _TASKS.findall(self.text(name))
                counts = [int(tasks) for tasks, times in found for _ in range(int(times or 1))]
                node = self.number("SLURM_NODEID")
                return counts[node] if node < len(counts) else None
        return None
