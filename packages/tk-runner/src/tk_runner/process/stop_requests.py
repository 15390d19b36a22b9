"""Being asked to stop is state of the run, looked at between steps.

Signal handlers only note the request, and break off a wait for data; the loop
ends at the next boundary, the run saves, and the exit status says what happened.
A second signal ends at once. Ranks agree on the boundary (`tk_dist.SharedFlag`).
"""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any

from tk_dist import SharedFlag, is_main_process

from ..errors import Stopped

STOPPED_BY_PLAN = 75  # a time budget or a STOP file: try again later
SIGNALS = (signal.SIGTERM, signal.SIGINT, *([signal.SIGUSR1] if hasattr(signal, "SIGUSR1") else []))
FILE_CHECK_S = 1.0
SAME_REQUEST_S = 2.0  # a launcher passes on what its ranks were sent as well


class InterruptibleWait:
    """A wait that a stop request may break off, since nothing is under way that it could harm.

    Signals belong to the process, so there is one of these, `wait_for_data`. It
    is only obeyed in the main thread, and where no other rank takes part.
    """

    def __init__(self) -> None:
        self.is_going_on = False


wait_for_data = InterruptibleWait()


class StopRequests:
    """Who asked the run to stop, and whether all ranks know.

    Use it as a context around the run. Handlers are set in the main thread only
    and put back on leaving; processes that the run starts do not obey them.

    Args:
        stop_file: a file whose appearance asks for a stop, and which is removed
            then; ``None`` for none. Rank 0 looks for it.
        time_budget_s: seconds after which the run asks itself to stop.
    """

    def __init__(self, stop_file: Path | None = None, time_budget_s: float | None = None) -> None:
        self._stop_file = stop_file
        self._budget_s = time_budget_s
        self._owner = os.getpid()
        self._previous: dict[int, Any] = {}
        self._code = 0
        self._looks_for_file = stop_file is not None
        self._signalled = -SAME_REQUEST_S
        self._began = self._looked = time.monotonic()
        self._agreement = SharedFlag()

    def __enter__(self) -> StopRequests:
        self._began = self._looked = time.monotonic()
        self._code = 0
        if threading.current_thread() is threading.main_thread():
            for number in (*SIGNALS, *_hangup()):
                self._previous[number] = signal.signal(number, self._on_signal)
        self._agreement.open()
        self._looks_for_file = self._stop_file is not None and is_main_process()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for number, handler in self._previous.items():
            # None: a handler that was not set from Python, which Python cannot put back
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
        self._previous.clear()
        self._agreement.close(in_peace=kind is None)

    @property
    def code(self) -> int:
        """The exit status that was asked for here; 0 where nobody asked."""
        return self._code

    def request(self, code: int) -> None:
        """Ask for a stop at the next boundary; ``code`` becomes the exit status."""
        self._code = max(self._code, code)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        if os.getpid() != self._owner:
            self._in_a_child(number)
        elif self._is_told_again():
            return
        elif self._code >= 128:  # a second signal
            _die_by(number)
        else:
            self._signalled = time.monotonic()
            self.request(128 + number)
            # torch raises in the middle of a step when a data worker dies, and
            # workers get the signals of their group; the next look comes first.
            if hasattr(signal, "SIGCHLD"):
                self._previous[signal.SIGCHLD] = signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            if wait_for_data.is_going_on and not self._agreement.is_shared:
                raise Stopped(describe(self._code), self._code)

    @staticmethod
    def _in_a_child(number: int) -> None:
        """A forked process inherited the handler.

        Terminals and launchers send signals to whole groups: a child that died
        of one would break the step that its parent is about to end. SIGTERM is
        obeyed, since parents end their children by it.
        """
        if number == signal.SIGTERM:
            _die_by(number)

    def _is_told_again(self) -> bool:
        """Whether a launcher passes on a signal that this rank was sent just before."""
        is_soon = time.monotonic() - self._signalled < SAME_REQUEST_S
        return is_soon and self._agreement.is_shared

    @property
    def all_ranks_are_done(self) -> bool:
        """Whether no rank had work left when the ranks last agreed."""
        return self._agreement.all_are_done

    def agreed_code(self, *, is_done: bool = False) -> int:
        """0, or the exit status of a stop that every rank knows of; all ranks ask equally often.

        Args:
            is_done: whether this rank has no work left and only waits for the others.
        """
        now = time.monotonic()
        if self._budget_s is not None and now - self._began > self._budget_s:
            self.request(STOPPED_BY_PLAN)
        if self._looks_for_file and now - self._looked > FILE_CHECK_S:
            self._looked = now
            if self._stop_file is not None and self._take_stop_file(self._stop_file):
                self.request(STOPPED_BY_PLAN)
        return self._agreement.look(self._code, is_done=is_done)

    @staticmethod
    def _take_stop_file(path: Path) -> bool:
        """Whether it was there; it is removed, so that the resumed run does not stop again."""
        try:
            path.unlink()
        except FileNotFoundError:
            return False
        except OSError:  # it may not be removed, but it asks
            return path.exists()
        return True


def _hangup() -> tuple[signal.Signals, ...]:
    """The signal of a terminal that is closed, unless it is ignored, as under ``nohup``."""
    if not hasattr(signal, "SIGHUP") or signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        return ()
    return (signal.SIGHUP,)


def _die_by(number: int) -> None:
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


def describe(code: int) -> str:
    """The words for an exit status."""
    if code == STOPPED_BY_PLAN:
        return "a time budget or a STOP file"
    return signal.Signals(code - 128).name
