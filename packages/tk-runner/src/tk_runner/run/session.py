"""A run while it runs: its instances are current, stop requests are heard, hooks get their exit.

However the block ends, the hooks' exit point is called and everything that was
current before is current again, so that the process can go on with another run.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, Protocol

from tk_dist import failing_rank_first, is_distributed
from tk_registry import DefaultScope

from ..data import WorkerError
from ..errors import Stopped
from ..hooks import HookPoints
from ..process.stop_requests import StopRequests, describe
from ..visualization import Visualizer


class Run(Protocol):
    """What a session needs of a run."""

    points: HookPoints
    default_scope: str | None
    stop_requests: StopRequests
    visualizer: Visualizer

    @property
    def instances(self) -> tuple[Any, ...]:
        """What is found by name while the run runs."""

    def save_where_it_stands(self, stopped: Stopped) -> None:
        """Keep everything, since the run was asked to end."""

    def save_after_error(self, error: BaseException) -> None:
        """Keep what an error in a validation would lose."""

    def note_end(self, error: BaseException | None) -> None:
        """Write down how the run ended."""


@contextmanager
def current(run: Run) -> Iterator[None]:
    """The run's logger, hub, visualizer and scope are the current ones inside the block."""
    with ExitStack() as stack:
        for instance in run.instances:
            stack.enter_context(instance.as_current())
        stack.enter_context(DefaultScope.overwrite_default_scope(run.default_scope))
        yield


@contextmanager
def session(run: Run) -> Iterator[None]:
    """Around the train, val or test of a run.

    Raises:
        KeyboardInterrupt: the stop was asked for by Ctrl-C; everything is saved.
        Stopped: it was asked for in another way; everything is saved.
    """
    with current(run), failing_rank_first(), run.stop_requests:
        ended: BaseException | None = None
        try:
            yield
        except BaseException as error:
            stopped = _as_stop(run, error)
            ended = stopped or error
            run.points.call_all("on_exception", run, error=ended)
            if stopped is None:
                run.save_after_error(error)
                raise
            run.save_where_it_stands(stopped)
            if stopped.is_interrupt:
                raise KeyboardInterrupt from stopped
            if stopped is error:
                raise
            raise stopped from error
        finally:
            run.points.call_all("on_exit", run)
            run.visualizer.close()  # records are whole, also where no LoggerHook closed them
            run.note_end(ended)


def _as_stop(run: Run, error: BaseException) -> Stopped | None:
    """The stop that an error is.

    A signal to the whole process group ends the data workers too. With one rank
    that is the stop that was asked for, a step earlier; several ranks would not
    end at the same step.
    """
    if isinstance(error, Stopped):
        return error
    code = run.stop_requests.code
    if code and isinstance(error, WorkerError) and not is_distributed():
        return Stopped(describe(code), code)
    return None
