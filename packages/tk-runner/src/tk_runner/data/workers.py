"""Data-loading processes: how they start, what signals do to them, how they end.

They outlive the signal that asks their run to stop. A launcher, a terminal or a
batch system signals whole groups of processes; the process that trains then ends
its step and saves, for which it may need one more batch. The workers are ended by
it, or leave by themselves soon after. They only read, so ending one loses nothing.
"""

from __future__ import annotations

import os
import random
import signal
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator
from types import FrameType
from typing import Any

import numpy as np
import torch
from torch.utils.data import DataLoader
from torch.utils.data._utils import signal_handling

from ..process.stop_requests import wait_for_data
from .errors import WorkerError

GRACE_S = 5.0  # after a signal, for the step that runs; saving needs no worker
LEAVE_S = 1.0  # after the last batch; idle ones leave at once


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


def end_workers_of(batches: object) -> None:
    """End the processes behind an iteration, or the persistent ones of a torch loader.

    Left to the garbage collection, which closes their queues first, each one
    would be waited for five seconds; so would one that hangs in a sample.
    """
    if isinstance(batches, DataLoader):
        loader, batches = batches, batches._iterator
        loader._iterator = None  # the next iteration starts new ones
    end = getattr(batches, "_shutdown_workers", None)
    if end is None:
        return
    if getattr(batches, "_worker_pids_set", False):  # torch would raise where one is killed
        signal_handling._remove_worker_pids(id(batches))  # type: ignore[attr-defined]  # no stub
        batches._worker_pids_set = False  # type: ignore[attr-defined]  # asked
    killer = threading.Timer(LEAVE_S, _kill, (getattr(batches, "_workers", ()),))
    killer.daemon = True
    killer.start()
    end()
    killer.cancel()
    killer.join()


def next_interruptible(batches: Iterator[Any]) -> Any:
    """The next batch; a stop request breaks off waiting for it, and the batch is not used then.

    The flag is down again before anybody counts the batch.
    """
    wait_for_data.is_going_on = True
    try:
        return next(batches)
    finally:
        wait_for_data.is_going_on = False


def is_worker_failure(error: Exception) -> bool:
    """Whether a process died or gave no answer in time: as torch says it, or its pipe."""
    text = str(error)
    is_of_pipe = isinstance(error, (EOFError, ConnectionError)) and "Caught" not in text
    return is_of_pipe or text.startswith(("DataLoader worker", "DataLoader timed out"))


def worker_error(error: Exception, about: str) -> WorkerError:
    """The error of a process that died or hangs, with what it was about and what to do."""
    return WorkerError(
        f"{str(error) or type(error).__name__}\n{about}. A worker that is killed has often run "
        "out of memory; num_workers=0 shows an error where it happens, and timeout= ends a wait "
        "for one that hangs"
    )


def _kill(workers: Iterable[Any]) -> None:
    for worker in workers:
        if worker.is_alive():
            worker.kill()


def worker_init_fn(
    worker_id: int,
    num_workers: int,
    rank: int,
    seed: int,
    disable_subprocess_warning: bool = False,
) -> None:
    """Give this worker process a seed that no other worker of any rank has.

    Seeds NumPy, ``random`` and torch with ``num_workers * rank + worker_id + seed``.
    """
    worker_seed = num_workers * rank + worker_id + seed
    np.random.seed(worker_seed % 2**32)
    random.seed(worker_seed)
    torch.manual_seed(worker_seed)
    if disable_subprocess_warning and worker_id != 0:
        warnings.simplefilter("ignore")
