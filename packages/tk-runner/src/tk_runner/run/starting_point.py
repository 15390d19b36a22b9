"""Where a run begins: with fresh weights, with the weights of a file, or where a file left off."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tk_dist import broadcast_object_list, is_main_process

from ..checkpoint import CorruptCheckpointError
from ..checkpoint.latest import latest_checkpoint
from ..settings.groups import StartSettings

Place = tuple[str, Mapping[str, Any] | None]


@dataclass(frozen=True)
class StartingPoint:
    """The file that a run begins from, and how much of it.

    Attributes:
        path: None is a fresh start.
        continues: take the whole state of the file's run, not only its weights.
        is_verified: the file was verified when it was chosen.
    """

    path: str | None = None
    continues: bool = False
    is_verified: bool = False


def choose_starting_point(start: StartSettings, newest: Callable[[], str | None]) -> StartingPoint:
    """Where the settings say that a run begins.

    Args:
        start: ``load_from`` and ``resume``.
        newest: finds the newest checkpoint of the work folder; asked only where
            ``resume`` is True and no file is named.
    """
    if not start.resume:
        return StartingPoint(start.load_from)
    if start.checkpoint:
        return StartingPoint(start.checkpoint, continues=True)
    path = newest()
    return StartingPoint(path, continues=True, is_verified=path is not None)


def newest_checkpoint(places: Sequence[Place]) -> str | None:
    """The newest whole checkpoint as rank 0 finds it, so that all ranks take the same.

    Args:
        places: folders with the arguments of their file backends, one looked into
            after the other.

    Raises:
        CorruptCheckpointError: there are checkpoints and all of them are damaged; a
            fresh start would overwrite what may be repaired.
    """
    answer: list[str | None] = [None, None]
    if is_main_process():
        answer = list(_newest_in(places))
    broadcast_object_list(answer)
    path, problem = answer
    if problem is not None:
        raise CorruptCheckpointError(problem)
    return path


def _newest_in(places: Sequence[Place]) -> tuple[str | None, str | None]:
    """A path, or why there is none although there are files."""
    damaged = []
    for folder, backend_args in places:
        latest = latest_checkpoint(folder, backend_args)
        if latest.path is not None:
            return latest.path, None
        damaged += latest.damaged
    if not damaged:
        return None, None
    reasons = "\n- ".join(damaged)
    return None, (
        "no checkpoint of this run can be read, so it neither goes on nor begins anew, which "
        "would overwrite them; move these files away to begin anew, or name a good file as "
        f"resume:\n- {reasons}"
    )
