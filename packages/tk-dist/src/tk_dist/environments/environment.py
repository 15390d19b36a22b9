"""The contract of a launcher's environment: where does this process stand?

An environment reads a mapping of variables (``os.environ`` unless given) and
answers; it never writes one and never asks another program.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from ..errors import LauncherError, MissingVariableError

DEFAULT_PORT = 29500  # the port that torch and its launchers use


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where one process stands among all of a job.

    ``local_size`` is the number of ranks on this node, ``None`` where the
    launcher does not say; ``node`` names the node, ``None`` is its host name.
    ``init_method`` is how the group meets.
    """

    rank: int
    world_size: int
    local_rank: int
    local_size: int | None = None
    init_method: str | None = None
    node: str | None = None


class Environment(ABC):
    """One launcher's variables, read and never written."""

    name: ClassVar[str]

    def __init__(self, variables: Mapping[str, str] | None = None) -> None:
        self._variables = os.environ if variables is None else variables

    @abstractmethod
    def detect(self) -> bool:
        """Say whether this launcher started the process."""

    @abstractmethod
    def rank(self) -> int | None:
        """Return the rank among all processes, ``None`` where it is not told."""

    @abstractmethod
    def command(self) -> list[str]:
        """Return the words that start the same processes again, before the program's own."""

    @abstractmethod
    def local_rank(self) -> int | None:
        """Return the rank on this node, ``None`` where it is not told."""

    @abstractmethod
    def place(self, port: int | None = None) -> Place:
        """Return the whole place; a variable that is missing is named in the error."""

    def has(self, name: str) -> bool:
        """Say whether a variable is set to something."""
        return bool(self._variables.get(name))

    def text(self, *names: str) -> str:
        """Return the first of the variables that is set."""
        for name in names:
            if self.has(name):
                return self._variables[name]
        raise MissingVariableError(
            f"launcher {self.name!r} needs the environment variable {' or '.join(names)}, which is "
            f"not set; {self.remedy()}"
        )

    def number(self, *names: str) -> int:
        """Return the first of the variables that is set, as an integer."""
        text = self.text(*names)
        try:
            return int(text)
        except ValueError:
            name = next(name for name in names if self.has(name))
            raise LauncherError(
                f"the environment variable {name} is {text!r}, but an integer was expected; "
                f"correct it, or {self.remedy()}"
            ) from None

    def optional(self, name: str) -> str | None:
        """Return a variable, ``None`` where it is not set to anything."""
        return self._variables.get(name) or None

    def remedy(self) -> str:
        """Return what starts a process with this launcher's variables."""
        return "start the program with its launcher"

    def default_port(self) -> int:
        """Return the port to meet at where nobody names one."""
        return DEFAULT_PORT

    def tcp_address(self, host: str, port: int | None) -> str:
        """Return the rendezvous at a host: the port given, else MASTER_PORT, else the default."""
        if port is None:
            port = self.number("MASTER_PORT") if self.has("MASTER_PORT") else self.default_port()
        bracketed = f"[{host}]" if ":" in host else host  # an IPv6 address
        return f"tcp://{bracketed}:{port}"
