"""Two network namespaces of this computer that stand for two machines.

They are joined by one cable, share the file system, and are taken down with all that runs
in them.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ADDRESSES = ("10.77.3.1", "10.77.3.2")
VARIABLES = {
    "GLOO_SOCKET_IFNAME": "eth0",  # the computer's own name leads nowhere in a namespace
    "OMP_NUM_THREADS": "1",
    # A machine that joins later is not told where to meet otherwise (torch 2.13).
    "TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1",
}


def why_impossible() -> str:
    """Why this computer cannot have two machines, "" where it can."""
    if not sys.platform.startswith("linux"):
        return "network namespaces are Linux's"
    if os.geteuid() != 0:
        return "making network namespaces needs root"
    if shutil.which("ip") is None:
        return "the program ip is missing: apt install iproute2"
    probe = f"tk{os.getpid()}p"
    if subprocess.run(["ip", "netns", "add", probe], capture_output=True).returncode:
        return "this computer lets nobody make network namespaces"
    _ip("netns", "del", probe)
    return ""


class Machine:
    """One namespace, and the launchers that run in it."""

    def __init__(self, name: str, address: str) -> None:
        self.name = name
        self.address = address
        self._launchers: list[subprocess.Popen[str]] = []

    def torchrun(self, *words: str) -> subprocess.Popen[str]:
        """Start torchrun here; its output is one text."""
        command = ["ip", "netns", "exec", self.name, sys.executable, "-m", "torch.distributed.run"]
        process = subprocess.Popen(
            [*command, "--local-addr", self.address, *words],
            env={**os.environ, **VARIABLES},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self._launchers.append(process)
        return process

    def kill(self) -> None:
        """End everything that runs here, as a power cut does."""
        pids = subprocess.run(
            ["ip", "netns", "pids", self.name], capture_output=True, text=True, check=False
        )
        for pid in pids.stdout.split():
            os.kill(int(pid), signal.SIGKILL)
        for launcher in self._launchers:
            launcher.communicate()
        self._launchers.clear()


@contextmanager
def two_machines() -> Iterator[tuple[Machine, Machine]]:
    """Two machines with a cable between them."""
    names = [f"tk{os.getpid()}{letter}" for letter in "ab"]
    machines = [Machine(name, address) for name, address in zip(names, ADDRESSES, strict=True)]
    try:
        for name in names:
            _ip("netns", "add", name)
        ends = ["link", "add", "eth0", "netns", names[0], "type", "veth"]
        _ip(*ends, "peer", "name", "eth0", "netns", names[1])
        for machine in machines:
            _ip("-n", machine.name, "addr", "add", f"{machine.address}/24", "dev", "eth0")
            for device in ("lo", "eth0"):
                _ip("-n", machine.name, "link", "set", device, "up")
        yield machines[0], machines[1]
    finally:
        for machine in machines:
            machine.kill()
            subprocess.run(["ip", "netns", "del", machine.name], capture_output=True, check=False)


def wait_for(path: Path, limit_s: float) -> None:
    """Return once a file is there."""
    deadline = time.monotonic() + limit_s
    while not path.exists():
        assert time.monotonic() < deadline, f"{path} did not appear within {limit_s:g} s"
        time.sleep(0.05)


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)
