"""Ranks from Python: ``launch`` starts them, returns what they return, and names who failed.

All ranks run on this machine (nodes are torchrun's business). They meet through a
file of their own, so no port can be taken. A rank that is done, or has failed, keeps
its connections until the parent lets it go: so nobody's last message is lost, and the
error that reaches the parent first is the first one that happened.
"""

from __future__ import annotations

import contextlib
import faulthandler
import multiprocessing
import os
import pickle
import signal
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from multiprocessing.connection import Connection, wait
from multiprocessing.context import BaseContext
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, TypeVar

import torch
import torch.distributed as torch_dist

from .device import set_local_device
from .environments import Place
from .errors import LauncherError, RankFailedError
from .state import is_distributed, make_node_groups
from .transfer import accelerator_of

R = TypeVar("R")

_LEAVE_S = 2.0  # how long a rank may take to leave when asked, before it is killed
_SIGHTING_S = 0.1  # a killed rank is seen together with the errors that it causes in others


@dataclass(frozen=True)
class _Job:
    """What every rank of one launch is told."""

    function: Callable[..., Any]
    args: tuple[Any, ...]
    nproc: int
    backend: str
    group_timeout_s: float
    folder: Path


@dataclass
class _Rank:
    """One started process, as the parent sees it."""

    rank: int
    process: BaseProcess
    connection: Connection
    report: _Report | None = None


@dataclass(frozen=True)
class _Report:
    """What a rank tells its parent when its function ended."""

    value: Any = None
    error: BaseException | None = None
    traceback_text: str = ""
    failed_at: float = 0.0  # of the clock that all processes of a machine share

    @property
    def is_failure(self) -> bool:
        return bool(self.traceback_text)


def launch(
    fn: Callable[..., R],
    nproc: int,
    *args: Any,
    start_method: str | None = None,
    backend: str = "gloo",
    timeout_s: float | None = None,
    group_timeout_s: float = 60.0,
) -> list[R]:
    """Run a function on several ranks of this machine and return their values by rank.

    In each rank the process group exists already and is closed afterwards.

    Args:
        fn: called as ``fn(*args)`` on each rank.
        nproc: how many ranks.
        *args: the same for all ranks.
        start_method: "fork" (0.1 s; ``fn`` may be a closure) or "spawn" (each rank
            imports torch anew; ``fn`` and ``args`` must be picklable). By default fork
            where there is one, unless the backend or this process uses an accelerator.
        backend: of the group, "gloo" on CPU.
        timeout_s: how long all ranks together may take; ``None`` is without limit.
        group_timeout_s: how long one collective may wait for the other ranks.

    Raises:
        RankFailedError: a rank raised, was killed, or the time was up. The text
            begins with the rank that failed first and holds its traceback; its
            exception is the cause. The other ranks have been ended.
    """
    if nproc < 1:
        raise LauncherError(f"nproc={nproc} starts no rank; use 1 or more")
    context = _context(start_method, backend)
    with tempfile.TemporaryDirectory(prefix="tk_dist_") as folder:
        job = _Job(fn, args, nproc, backend, group_timeout_s, Path(folder))
        ranks: list[_Rank] = []
        try:
            for rank in range(nproc):
                ranks.append(_started(rank, job, context))
            _watch(ranks, job, timeout_s)
            _let_go(ranks)
        finally:
            _end(ranks)
        return [rank.report.value for rank in ranks if rank.report]


def _context(start_method: str | None, backend: str) -> BaseContext:
    known = multiprocessing.get_all_start_methods()
    if start_method is None:
        # A fork cannot use an accelerator that its parent has started, nor leave its group.
        alone = backend == "gloo" and not is_distributed()
        forks = "fork" in known and alone and not torch.cuda.is_initialized()  # type: ignore[no-untyped-call]  # torch's
        start_method = "fork" if forks else "spawn"
    if start_method not in known:
        raise LauncherError(
            f"start_method={start_method!r} does not exist here; known: {', '.join(known)}"
        )
    return multiprocessing.get_context(start_method)


def _started(rank: int, job: _Job, context: BaseContext) -> _Rank:
    ours, theirs = context.Pipe()
    # Not daemons: they may start processes of their own, such as data loading workers.
    process = context.Process(  # type: ignore[attr-defined]  # typeshed: on the subclasses only
        target=_rank_main, args=(rank, job, theirs), name=f"rank {rank}", daemon=False
    )
    with warnings.catch_warnings():
        # Python warns of forking with threads. Ours hold no lock here: torch's pool idles.
        warnings.filterwarnings("ignore", message=".*multi-threaded.*", category=DeprecationWarning)
        try:
            process.start()
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            raise LauncherError(
                f"the function or its arguments cannot be sent to a spawned process: {error}; "
                "use a function of a module, or start_method='fork'"
            ) from error
    theirs.close()
    return _Rank(rank, process, ours)


def _rank_main(rank: int, job: _Job, connection: Connection) -> None:
    """Run in the child: join the group, call the function, report, wait to be let go."""
    torch.set_num_threads(1)  # a forked OpenMP pool hangs, and ranks share the cores anyway
    if hasattr(faulthandler, "register"):
        stacks = _stack_file(job, rank).open("w")
        faulthandler.register(signal.SIGUSR2, file=stacks, all_threads=True)
    try:
        _join_group(rank, job)
        value = job.function(*job.args)
        report = _Report(value=value)
    except BaseException as error:  # also SystemExit and a test's outcome: the parent decides
        text = "".join(traceback.format_exception(error))
        report = _Report(error=error, traceback_text=text, failed_at=time.monotonic())
    with contextlib.suppress(OSError):  # the parent may be gone
        _send_report(connection, report)
        with contextlib.suppress(EOFError):
            connection.recv()
    if is_distributed():
        torch_dist.destroy_process_group()


def _join_group(rank: int, job: _Job) -> None:
    kind = accelerator_of(job.backend)
    if kind:
        set_local_device(kind, rank)
    from torch.distributed import FileStore  # type: ignore[attr-defined]  # missing in torch's stubs

    torch_dist.init_process_group(
        job.backend,
        store=FileStore(str(job.folder / "store"), job.nproc),
        rank=rank,
        world_size=job.nproc,
        timeout=timedelta(seconds=job.group_timeout_s),
    )
    place = Place(rank=rank, world_size=job.nproc, local_rank=rank, local_size=job.nproc)
    make_node_groups(place, [list(range(job.nproc))])


def _send_report(connection: Connection, report: _Report) -> None:
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
        data = pickle.dumps(_Report(traceback_text=text, failed_at=failed_at))
    connection.send_bytes(data)


def _watch(ranks: list[_Rank], job: _Job, timeout_s: float | None) -> None:
    """Return once every rank has reported a value.

    Raises:
        RankFailedError: one has failed, or the time is up.
    """
    deadline = None if timeout_s is None else time.monotonic() + timeout_s
    while silent := [rank for rank in ranks if rank.report is None]:
        left = None if deadline is None else deadline - time.monotonic()
        if left is not None and left <= 0:
            raise _late(silent, job, timeout_s)
        _listen(silent, left)
        if any(_has_failed(rank) for rank in ranks):
            _listen([rank for rank in ranks if rank.report is None], _SIGHTING_S)
            raise _failure(ranks)


def _listen(silent: list[_Rank], timeout_s: float | None) -> None:
    """Wait for a report or a death, then take in the reports that are there."""
    wait([*(r.connection for r in silent), *(r.process.sentinel for r in silent)], timeout_s)
    for rank in silent:
        with contextlib.suppress(EOFError, OSError):
            if rank.connection.poll():
                rank.report = _unpacked(rank.connection.recv_bytes())


def _unpacked(data: bytes) -> _Report:
    try:
        report: _Report = pickle.loads(data)  # noqa: S301  # sent by our own child
    except Exception:  # whatever the objects' own methods raise
        text = f"what the rank returned cannot be unpickled:\n{traceback.format_exc()}"
        return _Report(traceback_text=text, failed_at=time.monotonic())
    return report


def _died(rank: _Rank) -> bool:
    return rank.report is None and not rank.process.is_alive()


def _has_failed(rank: _Rank) -> bool:
    return _died(rank) or bool(rank.report and rank.report.is_failure)


def _failure(ranks: list[_Rank]) -> RankFailedError:
    """Return the error of the rank that failed first: a death comes before what it caused."""
    failed = [rank for rank in ranks if _has_failed(rank)]
    first = min(failed, key=lambda rank: rank.report.failed_at if rank.report else 0.0)
    head = f"rank {first.rank} of {len(ranks)} failed first"
    others = [str(rank.rank) for rank in failed if rank is not first]
    tail = f"\n(after it also: rank {', '.join(others)})" if others else ""
    if first.report is None:
        text = f"{head}: {_death(first.process.exitcode)}{tail}"
        return RankFailedError(text, rank=first.rank)
    shown = first.report.traceback_text
    error = RankFailedError(f"{head}:\n\n{shown}{tail}", rank=first.rank, traceback_text=shown)
    error.__cause__ = first.report.error
    return error


def _death(exitcode: int | None) -> str:
    if exitcode is not None and exitcode < 0:
        try:
            name = signal.Signals(-exitcode).name
        except ValueError:
            name = f"signal {-exitcode}"
        hint = "; the system may have run out of memory" if name == "SIGKILL" else ""
        return f"it was killed by {name} and left no traceback{hint}"
    return f"its process ended with exit code {exitcode} before the function returned"


def _late(silent: list[_Rank], job: _Job, timeout_s: float | None) -> RankFailedError:
    """Return the error for ranks that did not end in time, with where each of them is."""
    stacks = ""
    if hasattr(faulthandler, "register"):
        for rank in silent:
            if rank.process.pid and rank.process.is_alive():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(rank.process.pid, signal.SIGUSR2)
        time.sleep(0.2)  # the handler writes at once; it needs no lock of Python's
        for rank in silent:
            file = _stack_file(job, rank.rank)
            text = file.read_text(errors="replace") if file.exists() else ""
            stacks += f"\n\nrank {rank.rank}:\n{text}"
    names = ", ".join(str(rank.rank) for rank in silent)
    return RankFailedError(
        f"rank {names} did not return within timeout_s={timeout_s}; the others waited for it, or "
        f"it needs longer{stacks}",
        rank=silent[0].rank,
        traceback_text=stacks,
    )


def _stack_file(job: _Job, rank: int) -> Path:
    return job.folder / f"stacks_{rank}.txt"


def _let_go(ranks: list[_Rank]) -> None:
    """Tell every rank that all have their values, and wait until they left."""
    for rank in ranks:
        with contextlib.suppress(OSError):
            rank.connection.send(None)
    deadline = time.monotonic() + _LEAVE_S
    for rank in ranks:
        rank.process.join(max(0.0, deadline - time.monotonic()))


def _end(ranks: list[_Rank]) -> None:
    """End what still runs: asked first, then killed."""
    for end in (BaseProcess.terminate, BaseProcess.kill):
        alive = [rank.process for rank in ranks if rank.process.is_alive()]
        for process in alive:
            end(process)
        deadline = time.monotonic() + _LEAVE_S
        for process in alive:
            process.join(max(0.0, deadline - time.monotonic()))
    for rank in ranks:
        rank.connection.close()
        if not rank.process.is_alive():
            rank.process.close()
