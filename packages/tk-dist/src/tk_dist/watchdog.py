"""Who hangs, and where: the Python stacks of all ranks when nothing moves.

Moving is what the caller says it is: ``beat()``, which costs less than a
microsecond. A rank whose time is up prints its stacks and asks the others for theirs,
so that the one that waits and the one that is waited for are both seen. Nothing is
ended; that is left to the group's own time limit.
"""

from __future__ import annotations

import faulthandler
import sys
import tempfile
import threading
import time
from types import TracebackType
from typing import TYPE_CHECKING, TextIO

from .errors import LauncherError
from .side_store import open_side_store
from .state import get_dist_info

if TYPE_CHECKING:
    from torch._C._distributed_c10d import Store


class Watchdog:
    """Prints the stacks of all threads of all ranks when ``beat`` was not called in time.

        with Watchdog(timeout_s=300) as watchdog:
            for batch in loader:
                step(batch)
                watchdog.beat()

    All ranks enter the block together. A stall is printed once, and again only after
    another beat. A thread prints, so a main thread that computes in C without
    releasing Python's lock is seen when it releases it.

    Args:
        timeout_s: without a beat for so long, a rank counts as stalled.
        stream: where to print; ``None`` is standard error.
    """

    def __init__(self, timeout_s: float, *, stream: TextIO | None = None) -> None:
        if timeout_s <= 0:
            raise LauncherError(
                f"timeout_s={timeout_s} is no time to wait; use the seconds that one step may take"
            )
        self._timeout_s = timeout_s
        self._stream = stream
        self._last_beat = time.monotonic()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def beat(self) -> None:
        """Say that this rank moves."""
        self._last_beat = time.monotonic()

    def __enter__(self) -> Watchdog:
        self.beat()
        self._stop.clear()
        watch = _Watch(open_side_store("watchdog"), self._timeout_s, self._stream)
        self._thread = threading.Thread(
            target=self._run, args=(watch,), name="tk_dist watchdog", daemon=True
        )
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        self._stop.set()
        if self._thread:
            self._thread.join()

    def _run(self, watch: _Watch) -> None:
        while not self._stop.wait(min(1.0, self._timeout_s / 4)):
            watch.look(self._last_beat)


class _Watch:
    """What one rank's thread knows: what was printed, and which stalls the ranks reported."""

    def __init__(self, store: Store | None, timeout_s: float, stream: TextIO | None) -> None:
        self._store = store
        self._timeout_s = timeout_s
        self._stream = stream
        self._printed_beat: float | None = None
        self._quiet_until = 0.0
        self._num_stalls = 0

    def look(self, last_beat: float) -> None:
        """Print the stacks if this rank has stalled, or another one says that it has."""
        now = time.monotonic()
        if now < self._quiet_until:  # all ranks stall at about the same time: one print of each
            self._num_stalls = self._stalls(0)
            return
        if now - last_beat >= self._timeout_s and last_beat != self._printed_beat:
            self._num_stalls = self._stalls(1)
        elif (stalls := self._stalls(0)) > self._num_stalls:
            self._num_stalls = stalls
        else:
            return
        self._printed_beat, self._quiet_until = last_beat, now + self._timeout_s
        self._print(now - last_beat)

    def _stalls(self, more: int) -> int:
        if self._store is None:
            return self._num_stalls + more
        try:
            return int(self._store.add("stalls", more))
        except RuntimeError:  # the rank that keeps the store has ended: everyone is alone
            self._store = None
            return self._num_stalls + more

    def _print(self, idle_s: float) -> None:
        rank, world_size = get_dist_info()
        with tempfile.TemporaryFile("w+") as file:
            faulthandler.dump_traceback(file=file, all_threads=True)
            file.seek(0)
            stacks = file.read()
        stream = self._stream or sys.stderr
        # One write, so that the ranks' texts do not mix.
        stream.write(
            f"rank {rank} of {world_size}: no beat for {idle_s:.1f} s "
            f"(limit {self._timeout_s:g} s on some rank); Python stacks:\n{stacks}\n"
        )
        stream.flush()
