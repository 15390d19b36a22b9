"""A run while it runs: its instances are current, stop requests are heard, hooks get their exit.

However the block ends, the hooks' exit point is called and everything that was
current before is current again, so that the process can go on with another run.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tk_dist import failing_rank_first, is_distributed

from ..data import WorkerError
from ..errors import Stopped
from ..process.stop_requests import StopRequests, describe
from . import checkpointing
from .run import Run


@contextmanager
def session(run: Run) -> Iterator[None]:
    """Around the train, val or test of a run.

    Raises:
        KeyboardInterrupt: the stop was asked for by Ctrl-C; everything is saved.
        Stopped: it was asked for in another way; everything is saved.
    """
    with run.instances.as_current(), failing_rank_first(), run.stop_requests:
        ended: BaseException | None = None
        try:
            with run.loops.ending_workers():
                yield
        except BaseException as error:
            stopped = _as_stop(run.stop_requests, error)
            ended = stopped or error
            run.points.call_all("on_exception", run, error=ended)
            if stopped is None:
                checkpointing.save_after_failed_validation(run, error)
                raise
            _save_and_say_how_to_go_on(run, stopped)
            if stopped.is_interrupt:
                raise KeyboardInterrupt from stopped
            if stopped is error:
                raise
            raise stopped from error
        finally:
            run.points.call_all("on_exit", run)
            run.visualizer.close()  # records are whole, also where no LoggerHook closed them
            run.record.complete(run, ended)


def _as_stop(requests: StopRequests, error: BaseException) -> Stopped | None:
    """The stop that an error is.

    A signal to the whole process group ends the data workers too. With one rank
    that is the stop that was asked for, a step earlier; several ranks would not
    end at the same step.
    """
    if isinstance(error, Stopped):
        return error
    code = requests.code
    if code and isinstance(error, WorkerError) and not is_distributed():
        return Stopped(describe(code), code)
    return None


def _save_and_say_how_to_go_on(run: Run, stopped: Stopped) -> None:
    """Keep everything, since the run was asked to end; an evaluation has nothing to keep."""
    loop = run.train_loop
    if loop is None:
        return
    stopped.checkpoint = checkpointing.save_where_it_stands(run, loop)
    run.logger.warning("%s; saved %s; go on with resume=True", stopped, stopped.checkpoint)
