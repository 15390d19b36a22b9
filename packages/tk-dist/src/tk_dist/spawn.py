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
from multiprocessing.connection import Connection, wait
from multiprocessing.context import BaseContext
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, TypeVar

from .device import get_device
from .errors import LauncherError, PeerFailedError, RankFailedError
from .peer_process import STOPPED_AFTER_S, state_of
from .rank_process import Job, Report, rank_main, stack_file
from .state import is_distributed

R = TypeVar("R")

_LEAVE_S = 2.0  # how long a rank may take to leave when asked, before it is killed
_LOOK_S = 1.0  # between two looks at whether a rank is frozen
_SIGHTING_S = 0.1  # a killed rank is seen together with the errors that it causes in others
_DEATH_S = 0.1  # how long a rank that is silent may take to be seen dead


@dataclass
class _Rank:
    """One started process, as the parent sees it."""

    rank: int
    process: BaseProcess
    connection: Connection
    report: Report | None = None
    num_stopped_looks: int = 0  # how often in a row it was seen stopped


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
            where there is one, and spawn where there is an accelerator, which a fork
            could not use.
        backend: of the group, "gloo" on CPU.
        timeout_s: how long all ranks together may take; ``None`` is without limit.
        group_timeout_s: how long one collective may wait for the other ranks.

    Raises:
        RankFailedError: a rank raised, was killed or frozen, or the time was up. The text
            begins with the rank that failed first and holds its traceback; its
            exception is the cause. The other ranks have been ended.
    """
    if nproc < 1:
        raise LauncherError(f"nproc={nproc} starts no rank; use 1 or more")
    context = _context(start_method, backend)
    with tempfile.TemporaryDirectory(prefix="tk_dist_") as folder:
        job = Job(fn, args, nproc, backend, group_timeout_s, Path(folder), os.getpid())
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
        # A fork cannot use an accelerator that its parent has looked at, nor leave its group.
        forks = "fork" in known and not is_distributed() and get_device() == "cpu"
        start_method = "fork" if forks and backend == "gloo" else "spawn"
    if start_method not in known:
        raise LauncherError(
            f"start_method={start_method!r} does not exist here; known: {', '.join(known)}"
        )
    return multiprocessing.get_context(start_method)


def _started(rank: int, job: Job, context: BaseContext) -> _Rank:
    ours, theirs = context.Pipe()
    # Not daemons: they may start processes of their own, such as data loading workers.
    process = context.Process(  # type: ignore[attr-defined]  # typeshed: on the subclasses only
        target=rank_main, args=(rank, job, theirs), name=f"rank {rank}", daemon=False
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


def _watch(ranks: list[_Rank], job: Job, timeout_s: float | None) -> None:
    """Return once every rank has reported a value.

    Raises:
        RankFailedError: one has failed or is frozen, or the time is up.
    """
    deadline = None if timeout_s is None else time.monotonic() + timeout_s
    while silent := [rank for rank in ranks if rank.report is None]:
        left = _LOOK_S if deadline is None else min(_LOOK_S, deadline - time.monotonic())
        if left <= 0:
            raise _late(silent, job, timeout_s)
        _listen(silent, left)
        if any(_has_failed(rank) for rank in ranks):
            _listen([rank for rank in ranks if rank.report is None], _SIGHTING_S)
            for rank in ranks:
                if rank.report is None:  # a pipe closes a moment before its process is dead
                    rank.process.join(_DEATH_S)
            raise _failure(ranks)
        _look_for_frozen(silent, len(ranks))


def _look_for_frozen(silent: list[_Rank], nproc: int) -> None:
    """Raise if a rank was stopped by a signal and is not continued.

    Looks are counted instead of time, since Ctrl-Z stops the ranks and this process alike.
    """
    for rank in silent:
        is_stopped = rank.process.pid is not None and state_of(rank.process.pid) == "stopped"
        rank.num_stopped_looks = rank.num_stopped_looks + 1 if is_stopped else 0
        if rank.num_stopped_looks * _LOOK_S > STOPPED_AFTER_S:
            raise RankFailedError(
                f"rank {rank.rank} of {nproc} failed first: its process is frozen (stopped by a "
                "signal such as SIGSTOP)",
                rank=rank.rank,
            )


def _listen(silent: list[_Rank], timeout_s: float | None) -> None:
    """Wait for a report or a death, then take in the reports that are there."""
    wait([*(r.connection for r in silent), *(r.process.sentinel for r in silent)], timeout_s)
    for rank in silent:
        with contextlib.suppress(EOFError, OSError):
            if rank.connection.poll():
                rank.report = _unpacked(rank.connection.recv_bytes())


def _unpacked(data: bytes) -> Report:
    try:
        report: Report = pickle.loads(data)  # noqa: S301  # sent by our own child
    except Exception:  # whatever the objects' own methods raise
        text = f"what the rank returned cannot be unpickled:\n{traceback.format_exc()}"
        return Report(traceback_text=text, failed_at=time.monotonic())
    return report


def _died(rank: _Rank) -> bool:
    return rank.report is None and not rank.process.is_alive()


def _has_failed(rank: _Rank) -> bool:
    return _died(rank) or bool(rank.report and rank.report.is_failure)


def _failure(ranks: list[_Rank]) -> RankFailedError:
    """Return the error of the rank that failed first: a death comes before what it caused."""
    failed = [rank for rank in ranks if _has_failed(rank)]
    first = min(failed, key=lambda rank: rank.report.failed_at if rank.report else 0.0)
    if first.report is not None and isinstance(first.report.error, PeerFailedError):
        text = str(first.report.error)
        return RankFailedError(text, rank=first.report.error.rank)
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


def _late(silent: list[_Rank], job: Job, timeout_s: float | None) -> RankFailedError:
    """Return the error for ranks that did not end in time, with where each of them is."""
    stacks = ""
    if hasattr(faulthandler, "register"):
        for rank in silent:
            if rank.process.pid and rank.process.is_alive():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(rank.process.pid, signal.SIGUSR2)
        time.sleep(0.2)  # the handler writes at once; it needs no lock of Python's
        for rank in silent:
            file = stack_file(job, rank.rank)
            text = file.read_text(errors="replace") if file.exists() else ""
            stacks += f"\n\nrank {rank.rank}:\n{text}"
    names = ", ".join(str(rank.rank) for rank in silent)
    return RankFailedError(
        f"rank {names} did not return within timeout_s={timeout_s}; the others waited for it, or "
        f"it needs longer{stacks}",
        rank=silent[0].rank,
        traceback_text=stacks,
    )


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
