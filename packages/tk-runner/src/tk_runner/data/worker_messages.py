"""What worker processes send: batches and errors that surely can be sent.

torch pickles them in a thread of the worker's queue. What cannot be pickled
there is lost, and the process that trains would wait for it for ever.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from multiprocessing.reduction import ForkingPickler
from typing import Any, NoReturn

from torch._utils import ExceptionWrapper
from torch.utils.data import get_worker_info

from .errors import WorkerError


class SendableCollate:
    """A collate function whose batch arrives, or the error that says why it cannot.

    Args:
        collate: makes a batch of samples.
    """

    def __init__(self, collate: Callable[[Any], Any]) -> None:
        self.collate = collate

    def __call__(self, samples: Sequence[Any]) -> Any:
        """The batch; in a worker process, ready to be sent."""
        if get_worker_info() is None:
            return self.collate(samples)
        try:
            return _Sent(self.collate(samples))
        except Exception as error:
            raise_sendable(error)


class _Sent:
    """A batch that pickles itself, since nobody hears an error of the queue's thread."""

    def __init__(self, batch: Any) -> None:
        self.batch = batch

    def __reduce__(self) -> tuple[Any, ...]:
        try:
            return pickle.loads, (bytes(ForkingPickler.dumps(self.batch)),)
        except Exception as error:
            return _failure, (f"{type(error).__name__}: {error}",)


def _failure(text: str) -> ExceptionWrapper:
    """What torch takes for an error of the worker, and raises in the process that trains."""
    error = WorkerError(
        f"a worker process has a batch that cannot be sent, since it cannot be pickled ({text}). "
        "Return tensors, arrays and plain values from the dataset and the collate function, or "
        "use num_workers=0"
    )
    where = "in a data-loading process"
    return ExceptionWrapper((WorkerError, error, None), where)  # type: ignore[no-untyped-call]


def raise_sendable(error: Exception) -> NoReturn:
    """Raise the error, or one in its place that arrives as an error.

    One whose class cannot be pickled does not leave a worker process, and a
    ``StopIteration`` would look like the end of the epoch.
    """
    if isinstance(error, StopIteration):
        raise RuntimeError("a dataset raised StopIteration, which must not leave it") from error
    if get_worker_info() is not None and not _can_be_pickled(type(error)):
        notes = "".join(f"\n{note}" for note in getattr(error, "__notes__", ()))
        raise WorkerError(f"{type(error).__qualname__}: {error}{notes}") from error
    raise error


def _can_be_pickled(kind: type) -> bool:
    try:
        pickle.dumps(kind)
    except Exception:
        return False
    return True
