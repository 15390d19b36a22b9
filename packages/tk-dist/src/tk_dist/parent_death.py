"""A process that ends when the one that started it does, however that ended.

Linux sends a signal itself, also to a process that is frozen or computes without ever
releasing Python's lock; elsewhere a thread waits for the end of the parent.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import platform
import signal
import threading
from multiprocessing.connection import wait

_PR_SET_PDEATHSIG = 1  # from linux/prctl.h


def end_with_parent(number: int = signal.SIGTERM, *, parent_pid: int | None = None) -> None:
    """Have this process receive a signal as soon as its parent has ended.

    Args:
        number: the signal; where Linux does not send it, the process is just ended.
        parent_pid: the parent as it was known before this process started, so that one
            that has ended since then is noticed.
    """
    if platform.system() == "Linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(number), 0, 0, 0)
        if parent_pid is not None and os.getppid() != parent_pid:
            os.kill(os.getpid(), number)
        return
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(
            target=_end_after, args=(parent.sentinel,), name="tk_dist parent", daemon=True
        ).start()


def _end_after(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)
