"""The rank that fails is named first, and the others leave instead of hanging.

Under a launcher every rank is a process of its own, and when one raises, the others
wait in a collective until it times out, or print errors of their own that only say
that a connection was lost. Inside ``failing_rank_first`` a rank that raises prints its
traceback, then tells the others through the store at which the group met. A thread on
each rank listens there; a rank that is still at work after ``grace_s`` is ended.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from .errors import PeerFailedError
from .side_store import open_side_store
from .state import get_dist_info

if TYPE_CHECKING:
    from torch._C._distributed_c10d import Store

_POLL_S = 0.25
_SIGN_OF_LIFE_S = 2.0  # several polls: whoever is silent as long is gone
_LINGER_S = 1.0  # a launcher looks ten times a second; it shall see the first rank leave first
_FAILURE = "failure"


@dataclass(frozen=True)
class _Failure:
    """What the first rank that failed tells the others."""

    rank: int
    summary: str


@contextmanager
def failing_rank_first(*, grace_s: float = 5.0) -> Iterator[None]:
    """Name the rank that fails first inside the block, and end the others within seconds.

    All ranks enter the block together. The rank that raises prints its traceback at
    once and raises on; torchrun finds it in its error file as well. Any other rank
    raises ``PeerFailedError`` if it comes back from its work in time (an error that
    the first one caused is replaced), and is ended with exit code 1 if not. Being
    interrupted (Ctrl-C) is no failure; a rank that exits with a code does so quietly.
    With one process nothing is done.

    Args:
        grace_s: how long a rank may go on after another one failed.

    Raises:
        PeerFailedError: another rank failed first; the text names it.
    """
    store = open_side_store("failing")
    if store is None:
        yield
        return
    rank, world_size = get_dist_info()
    board = _Board(store, rank, world_size)
    listener = _Listener(board, grace_s)
    listener.start()
    try:
        yield
    except (Exception, SystemExit) as error:
        if isinstance(error, SystemExit) and not error.code:
            raise
        first = _report(error, board)
        if first.rank == rank or isinstance(error, SystemExit):
            raise
        time.sleep(_LINGER_S)
        raise PeerFailedError(_stopping(first, board), rank=first.rank) from None
    finally:
        listener.stop()
        board.show_life()


def _report(error: BaseException, board: _Board) -> _Failure:
    """Return the first failure: another rank's, or this one, which is shown and told then."""
    told = board.read()
    if told is not None:
        return told
    summary = "".join(traceback.format_exception_only(error)).strip()
    shown = f"rank {board.rank} of {board.world_size} failed:\n\n{_formatted(error)}"
    # Somebody may be gone without a word: who does not answer below is the one.
    is_echo = _is_lost_connection(error)
    if not is_echo and not isinstance(error, SystemExit):  # a code to exit with may be meant
        _show(shown)
    first = board.tell(_Failure(board.rank, summary))
    if first.rank == board.rank:
        gone = ", ".join(map(str, board.silent_ranks()))
        if is_echo:
            _show(f"rank {gone} is gone (killed, or its machine lost)\n{shown}" if gone else shown)
        if not isinstance(error, SystemExit):
            _write_error_file(error)
    return first


def _formatted(error: BaseException) -> str:
    return "".join(traceback.format_exception(error))


def _is_lost_connection(error: BaseException) -> bool:
    text = str(error).lower()
    return isinstance(error, RuntimeError) and ("connection" in text or "socket" in text)


def _show(text: str) -> None:
    sys.stderr.write(text if text.endswith("\n") else text + "\n")
    sys.stderr.flush()


def _stopping(first: _Failure, board: _Board) -> str:
    return (
        f"rank {board.rank} of {board.world_size} stops because rank {first.rank} failed first: "
        f"{first.summary}; see the traceback of rank {first.rank}"
    )


def _write_error_file(error: BaseException) -> None:
    """Write the file in which torchrun looks for the cause, if it asked for one."""
    if os.environ.get("TORCHELASTIC_ERROR_FILE"):
        from torch.distributed.elastic.multiprocessing.errors import ErrorHandler  # only then

        ErrorHandler().record_exception(error)


class _Board:
    """Where the first failure is written once, and each rank shows that it lives.

    A store that is gone (its rank has ended) reads as an empty board: then nobody
    can be told any more.
    """

    def __init__(self, store: Store, rank: int, world_size: int) -> None:
        self.rank = rank
        self.world_size = world_size
        self._store = store

    def read(self) -> _Failure | None:
        try:
            if not self._store.check([_FAILURE]):
                return None
            return _Failure(**json.loads(self._store.get(_FAILURE)))
        except RuntimeError:
            return None

    def tell(self, failure: _Failure) -> _Failure:
        """Write a failure unless there is one; return the one that stands."""
        try:
            text = self._store.compare_set(_FAILURE, "", json.dumps(asdict(failure)))
            return _Failure(**json.loads(text))
        except RuntimeError:
            return failure

    def show_life(self) -> None:
        try:
            self._store.set(f"alive/{self.rank}", "1")
        except RuntimeError:
            pass

    def silent_ranks(self) -> list[int]:
        """Wait until each rank has noticed the failure or left; return those that do not."""
        silent = [rank for rank in range(self.world_size) if rank != self.rank]
        deadline = time.monotonic() + _SIGN_OF_LIFE_S
        while silent and time.monotonic() < deadline:
            try:
                silent = [rank for rank in silent if not self._store.check([f"alive/{rank}"])]
            except RuntimeError:
                return []
            time.sleep(_POLL_S / 10)
        return silent


class _Listener(threading.Thread):
    """Waits for another rank's failure, and ends this process if it does not end itself."""

    def __init__(self, board: _Board, grace_s: float) -> None:
        super().__init__(name="tk_dist failing_rank_first", daemon=True)
        self._board = board
        self._grace_s = grace_s
        self._left = threading.Event()

    def run(self) -> None:
        while not self._left.wait(_POLL_S):
            failure = self._board.read()
            if failure is None:
                continue
            self._board.show_life()
            if failure.rank != self._board.rank and not self._left.wait(self._grace_s):
                _show(_stopping(failure, self._board))
                sys.stdout.flush()
                os._exit(1)
            return

    def stop(self) -> None:
        self._left.set()
        self.join()
