"""The rank that fails is named first, and the others leave instead of hanging.

Under a launcher every rank is a process of its own, and when one raises, the others
wait in a collective until it times out, or print errors of their own that only say
that a connection was lost. Inside ``failing_rank_first`` a rank that raises prints its
traceback, then tells the others; one that is killed or frozen is noticed by its
neighbours. A rank that is still at work after ``grace_s`` is ended.
"""

from __future__ import annotations

import os
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager

from .errors import LauncherError, PeerFailedError
from .peer_news import PeerFailure
from .peer_ring import PeerRing
from .side_store import open_side_store
from .state import get_dist_info

PEER_TIMEOUT_VARIABLE = "TKIT_PEER_TIMEOUT_S"
_PEER_TIMEOUT_S = 60.0
_CAUSE_S = 2.0  # how long an error that another rank may have caused waits for the cause
_SETTLE_S = 0.1  # failures at the same moment: which of them was the first?
_LINGER_S = 1.0  # a launcher looks ten times a second; it shall see the first rank leave first
_SAVE_S = 60.0  # a rank that was asked to exit was perhaps one of all, and others still save


@contextmanager
def failing_rank_first(
    *, grace_s: float = 5.0, peer_timeout_s: float | None = None
) -> Iterator[None]:
    """Name the rank that fails first inside the block, and end the others within seconds.

    All ranks enter the block together. The rank that raises prints its traceback at
    once and raises on; torchrun finds it in its error file as well. Any other rank
    raises ``PeerFailedError`` if it comes back from its work in time (an error that
    the first one caused is replaced), and is ended with exit code 1 if not. A rank that
    is killed is noticed at once, a frozen one after a few seconds. Ctrl-C and
    ``SystemExit`` pass quietly, and the others have a minute to do the same. With one
    process nothing is done.

    Args:
        grace_s: how long a rank may go on after another one failed.
        peer_timeout_s: how long a rank of another machine may be silent before it
            counts as lost; ``None`` is the variable TKIT_PEER_TIMEOUT_S, else 60.

    Raises:
        PeerFailedError: another rank failed first; the text names it.
        LauncherError: a limit that is not a positive number.
    """
    timeout_s = _checked_timeout(peer_timeout_s)
    store = open_side_store("failing")
    if store is None:
        yield
        return
    rank, world_size = get_dist_info()
    ending = _Ending(rank, world_size, grace_s)
    ring = PeerRing(store, rank, world_size, timeout_s, ending.begin)
    try:
        yield
    except BaseException as error:
        ending.cancel()
        peer_error = _report(error, ring)
        if peer_error is None:
            raise
        time.sleep(_LINGER_S)
        raise peer_error from None
    else:
        ring.leave()
    finally:
        ending.cancel()


def _checked_timeout(peer_timeout_s: float | None) -> float:
    text = os.environ.get(PEER_TIMEOUT_VARIABLE)
    value = peer_timeout_s if peer_timeout_s is not None else text or _PEER_TIMEOUT_S
    try:
        seconds = float(value)
    except ValueError:
        seconds = 0.0
    if seconds > 0:
        return seconds
    name = PEER_TIMEOUT_VARIABLE if peer_timeout_s is None else "peer_timeout_s"
    raise LauncherError(f"{name}={value} is not a time; give seconds, such as 60")


def _report(error: BaseException, ring: PeerRing) -> PeerFailedError | None:
    """Tell the others of this rank's error; return the one to raise instead, if any."""
    if isinstance(error, SystemExit) and not error.code:
        ring.leave("it left early by SystemExit with code 0")
        return None
    is_exit = isinstance(error, (SystemExit, KeyboardInterrupt))
    cause = _other_failure(ring, error)
    if cause is not None:
        ring.leave()
        return None if is_exit else _stopping(cause, ring)
    failure = PeerFailure(
        ring.rank,
        _summary(error),
        at=time.time(),
        has_traceback=not is_exit,
        may_be_meant=is_exit,
    )
    if not is_exit:
        traceback_text = "".join(traceback.format_exception(error))
        _show(f"rank {ring.rank} of {ring.world_size} failed:\n\n{traceback_text}")
    ring.tell(failure)
    if is_exit:
        return None
    time.sleep(_SETTLE_S)
    if (earlier := _known_failure(ring)) is not None:
        return _stopping(earlier, ring)
    _write_error_file(error)
    return None


def _other_failure(ring: PeerRing, error: BaseException) -> PeerFailure | None:
    """Return another rank's failure that came first and may have caused this rank's error."""
    may_be_an_echo = _may_be_an_echo(error)
    deadline = time.monotonic() + (_CAUSE_S if may_be_an_echo else 0.0)
    while (failure := _known_failure(ring)) is None and time.monotonic() < deadline:
        time.sleep(0.01)
    if failure is not None or not may_be_an_echo:
        return failure
    for rank, reason in [*ring.news.departures.items()]:
        if reason:
            return PeerFailure(rank, reason, at=time.time())
    if ring.unreachable is None:
        return None
    summary = "it cannot be reached (its process was killed, or its machine or network was lost)"
    return PeerFailure(ring.unreachable, summary, at=time.time())


def _known_failure(ring: PeerRing) -> PeerFailure | None:
    failure = ring.news.first
    return None if failure is None or failure.rank == ring.rank else failure


def _may_be_an_echo(error: BaseException | None) -> bool:
    """Say whether an error is what ranks see when another one is gone, or never came."""
    while error is not None:
        text = _text_of(error).lower()
        if isinstance(error, RuntimeError) and any(word in text for word in _ECHOES):
            return True
        error = error.__cause__ or error.__context__
    return False


_ECHOES = ("connection", "socket", "timed out", "timeout", "nccl", "gloo", "broken pipe")


def _text_of(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # whatever an error's own method raises
        return ""


def _summary(error: BaseException) -> str:
    if isinstance(error, KeyboardInterrupt):
        return "it was interrupted (Ctrl-C or SIGINT)"
    if isinstance(error, SystemExit):
        return f"it left by SystemExit with code {_text_of(error)}"
    return "".join(traceback.format_exception_only(error)).strip()


def _show(text: str) -> None:
    sys.stderr.write(text if text.endswith("\n") else text + "\n")
    sys.stderr.flush()


def _stopping(first: PeerFailure, ring: PeerRing) -> PeerFailedError:
    return PeerFailedError(_stop_text(first, ring.rank, ring.world_size), rank=first.rank)


def _stop_text(first: PeerFailure, rank: int, world_size: int) -> str:
    hint = f"; see the traceback of rank {first.rank}" if first.has_traceback else ""
    return (
        f"rank {rank} of {world_size} stops because rank {first.rank} failed first: "
        f"{first.summary}{hint}"
    )


def _write_error_file(error: BaseException) -> None:
    """Write the file in which torchrun looks for the cause, if it asked for one."""
    if os.environ.get("TORCHELASTIC_ERROR_FILE"):
        from torch.distributed.elastic.multiprocessing.errors import ErrorHandler  # only then

        ErrorHandler().record_exception(error)


class _Ending:
    """Ends this process if it does not end itself in time after another rank failed."""

    def __init__(self, rank: int, world_size: int, grace_s: float) -> None:
        self._rank = rank
        self._world_size = world_size
        self._grace_s = grace_s
        self._timer: threading.Timer | None = None
        self._is_over = False

    def begin(self, failure: PeerFailure) -> None:
        """Start the time that is left; called again if an earlier failure becomes known."""
        if self._timer is not None:
            self._timer.cancel()
        if self._is_over:
            return
        grace_s = max(self._grace_s, _SAVE_S) if failure.may_be_meant else self._grace_s
        self._timer = threading.Timer(grace_s, self._end, [failure])
        self._timer.daemon = True
        self._timer.start()

    def cancel(self) -> None:
        """Leave the process alone: it has come back from its work."""
        self._is_over = True
        if self._timer is not None:
            self._timer.cancel()

    def _end(self, failure: PeerFailure) -> None:
        _show(_stop_text(failure, self._rank, self._world_size))
        sys.stdout.flush()
        os._exit(1)
