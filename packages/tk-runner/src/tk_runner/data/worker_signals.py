"""Data-loading processes outlive the signal that asks their run to stop.

A launcher, a terminal or a batch system signals whole groups of processes. The
process that trains then ends its step and saves, for which it may need one more
batch; the workers are ended by it, or leave by themselves soon after.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

GRACE_S = 5.0  # for the step that runs; saving needs no worker


class OutliveStops:
    """A worker's start: its signals are settled, then the user's own initialiser runs.

    Args:
        then: the user's ``worker_init_fn``, if there is one.
    """

    def __init__(self, then: Callable[[int], Any] | None = None) -> None:
        self._then = then

    def __call__(self, worker_id: int) -> None:
        """Called in the worker, before it reads anything."""
        for name in ("SIGINT", "SIGUSR1"):
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), signal.SIG_IGN)
        signal.signal(signal.SIGTERM, _leave_soon)
        if self._then is not None:
            self._then(worker_id)


def _leave_soon(number: int, frame: FrameType | None) -> None:
    """At the first SIGTERM begin to count down; a launcher may send it again."""
    signal.signal(number, signal.SIG_IGN)
    timer = threading.Timer(GRACE_S, os._exit, (0,))
    timer.daemon = True
    timer.start()
