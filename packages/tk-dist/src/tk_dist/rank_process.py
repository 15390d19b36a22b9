"""One rank of ``launch``: joins the group, runs the function, reports, waits to be let go.

Everything here runs in the started process, and talks to the parent by one report.
"""

from __future__ import annotations

import contextlib
import faulthandler
import pickle
import signal
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import torch
import torch.distributed as torch_dist

from .device import choose_device
from .environments import Place
from .parent_death import end_with_parent
from .state import is_distributed, settle

_KILL = getattr(signal, "SIGKILL", signal.SIGTERM)  # Windows has no SIGKILL


@dataclass(frozen=True)
class Job:
    """What every rank of one launch is told."""

    function: Callable[..., Any]
    args: tuple[Any, ...]
    nproc: int
    backend: str
    group_timeout_s: float
    folder: Path
    parent_pid: int


@dataclass(frozen=True)
class Report:
    """What a rank tells its parent when its function ended."""

    value: Any = None
    error: BaseException | None = None
    traceback_text: str = ""
    failed_at: float = 0.0  # of the clock that all processes of a machine share

    @property
    def is_failure(self) -> bool:
        """Say whether the function did not return."""
        return bool(self.traceback_text)


def rank_main(rank: int, job: Job, connection: Connection) -> None:
    """Run in the child: join the group, call the function, report, wait to be let go."""
    end_with_parent(_KILL, parent_pid=job.parent_pid)
    torch.set_num_threads(1)  # a forked OpenMP pool hangs, and ranks share the cores anyway
    if hasattr(faulthandler, "register"):
        stacks = stack_file(job, rank).open("w")
        faulthandler.register(signal.SIGUSR2, file=stacks, all_threads=True)
    try:
        _join_group(rank, job)
        value = job.function(*job.args)
        report = Report(value=value)
    except BaseException as error:  # also SystemExit and a test's outcome: the parent decides
        text = "".join(traceback.format_exception(error))
        report = Report(error=error, traceback_text=text, failed_at=time.monotonic())
    with contextlib.suppress(OSError):  # the parent may be gone
        _send_report(connection, report)
        with contextlib.suppress(EOFError):
            connection.recv()
    if is_distributed():
        torch_dist.destroy_process_group()


def _join_group(rank: int, job: Job) -> None:
    choose_device(job.backend, rank)
    from torch.distributed import FileStore  # type: ignore[attr-defined]  # missing in torch's stubs

    torch_dist.init_process_group(
        job.backend,
        store=FileStore(str(job.folder / "store"), job.nproc),
        rank=rank,
        world_size=job.nproc,
        timeout=timedelta(seconds=job.group_timeout_s),
    )
    place = Place(rank=rank, world_size=job.nproc, local_rank=rank, local_size=job.nproc)
    settle(place, list(range(job.nproc)))


def _send_report(connection: Connection, report: Report) -> None:
    try:
        data = pickle.dumps(report)
        if report.error is not None:
            pickle.loads(data)  # noqa: S301  # our own; some errors can be dumped but not loaded
    except Exception as error:  # whatever the objects' own methods raise
        text = report.traceback_text or (
            f"the rank's return value cannot be sent to the parent: "
            f"{type(error).__name__}: {error}; return numbers, tensors or containers of them\n"
        )
        failed_at = report.failed_at or time.monotonic()
        data = pickle.dumps(Report(traceback_text=text, failed_at=failed_at))
    connection.send_bytes(data)


def stack_file(job: Job, rank: int) -> Path:
    """Return the file into which a rank writes its stacks when it is asked by a signal."""
    return job.folder / f"stacks_{rank}.txt"
