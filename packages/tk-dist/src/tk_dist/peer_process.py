"""Where another rank runs, and what the system says of its process.

A rank that is silent may only be busy: code in C can keep Python's lock for a minute. On
the same machine the system knows the difference, so a silent process is looked at before
it is called lost.
"""

from __future__ import annotations

import contextlib
import os
import socket
from dataclasses import dataclass
from pathlib import Path

# A stopped process is recognised after as many seconds without a sign of life.
STOPPED_AFTER_S = 4.0


@dataclass(frozen=True)
class PeerProcess:
    """A process and the system that numbers it."""

    machine: str
    pid: int

    @classmethod
    def own(cls) -> PeerProcess:
        """Return this process."""
        return cls(machine_name(), os.getpid())

    @property
    def state(self) -> str:
        """Return "running", "stopped", "gone", or "" where it cannot be looked at."""
        if self.machine != machine_name():
            return ""
        return state_of(self.pid)

    def problem(self, silence_s: float, timeout_s: float) -> str:
        """Return what is wrong with a process that was silent, "" while it may be well."""
        if silence_s < min(STOPPED_AFTER_S, timeout_s):
            return ""
        state = self.state
        if state == "gone":
            return "its process was killed"
        if state == "stopped":
            return "its process is frozen (stopped by a signal such as SIGSTOP)"
        if state == "running" or silence_s < timeout_s:
            return ""
        return (
            f"it has given no sign of life for {timeout_s:g} s "
            "(its process is frozen, or its machine or the network was lost)"
        )


def machine_name() -> str:
    """Return a name of the system that numbers this process: host and process namespace."""
    with contextlib.suppress(OSError, AttributeError):
        return f"{socket.gethostname()} {os.readlink('/proc/self/ns/pid')}"  # noqa: PTH115  # not a path
    return socket.gethostname()


def state_of(pid: int) -> str:
    """Return the state of a process of this machine: "running", "stopped", "gone" or ""."""
    if not Path("/proc/self/stat").exists():
        return ""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except FileNotFoundError:
        return "gone"
    except OSError:
        return ""
    letter = text.rpartition(")")[2].split()[0]  # the name before it may hold anything
    return {"T": "stopped", "Z": "gone", "X": "gone"}.get(letter, "running")
