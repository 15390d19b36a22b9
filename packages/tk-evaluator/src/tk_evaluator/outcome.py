"""One answer for all ranks: the value that rank 0 computed, or its error.

An error on one rank must reach the others, which would otherwise wait for a
message that never comes.
"""

from __future__ import annotations

import builtins
import pickle
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from tk_dist import all_gather_object, broadcast_object_list, get_rank, get_world_size

from .errors import MetricError, builtin_type, like

T = TypeVar("T")


@dataclass(frozen=True)
class Failure:
    """An error in a form that travels: no object of the user's in it."""

    kind: str
    text: str
    trace: str
    rank: int

    def as_error(self) -> MetricError:
        """The error to raise on a rank where it did not happen."""
        text = f"{self.text}\nThis happened on rank {self.rank}:\n{self.trace}"
        kind = getattr(builtins, self.kind, Exception)
        return like(kind, text) if issubclass(kind, Exception) else MetricError(text)


def from_rank_0(compute: Callable[[], T], *, describe: Callable[[Exception], str]) -> T:
    """What ``compute`` returned on rank 0, where alone it runs; its error on every rank.

    Args:
        compute: called on rank 0.
        describe: the text of the error, given the original.

    Raises:
        MetricError: ``compute`` raised; of the original's built-in type too.
    """
    if get_rank() != 0:
        received: T = _received()
        return received
    try:
        value = compute()
        if get_world_size() > 1:
            pickle.dumps(value)  # what cannot travel must show before the others wait for it
    except BaseException as error:
        text = describe(error) if isinstance(error, Exception) else f"interrupted: {error!r}"
        _send(_failure(error, text))
        if not isinstance(error, Exception):
            raise
        raise like(builtin_type(error), text) from error
    _send(value)
    return value


def from_every_rank(prepare: Callable[[], T], *, describe: Callable[[Exception], str]) -> list[T]:
    """What ``prepare`` returned on each rank, in rank order; any rank's error on every rank."""
    if get_world_size() == 1:
        return [prepare()]
    cause: Exception | None = None
    try:
        mine: T | Failure = prepare()
    except Exception as error:
        mine, cause = _failure(error, describe(error)), error
    shared = all_gather_object(mine)
    values = [item for item in shared if not isinstance(item, Failure)]
    if len(values) == len(shared):
        return values
    if isinstance(mine, Failure) and cause is not None:
        raise like(builtin_type(cause), mine.text) from cause
    raise next(item for item in shared if isinstance(item, Failure)).as_error()


def _received() -> Any:
    message: list[Any] = [None]
    broadcast_object_list(message, src=0)
    if isinstance(message[0], Failure):
        raise message[0].as_error()
    return message[0]


def _send(value: Any) -> None:
    if get_world_size() > 1:
        broadcast_object_list([value], src=0)


def _failure(error: BaseException, text: str) -> Failure:
    trace = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    return Failure(builtin_type(error).__name__, text, trace, get_rank())
