"""Where a run begins: with fresh weights, with the weights of a file, or where a file left off."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tk_dist import broadcast_object_list, is_main_process

from ..checkpoint import find_latest_checkpoint
from ..settings.groups import StartSettings


@dataclass(frozen=True)
class StartingPoint:
    """The file that a run begins from, and how much of it.

    ``path`` None is a fresh start. ``continues`` takes the whole state of the
    file's run, otherwise only its weights.
    """

    path: str | None = None
    continues: bool = False


def choose_starting_point(start: StartSettings, newest: Callable[[], str | None]) -> StartingPoint:
    """Where the settings say that a run begins.

    Args:
        start: ``load_from`` and ``resume``.
        newest: finds the newest checkpoint of the work folder; asked only where
            ``resume`` is True and no file is named.
    """
    if not start.resume:
        return StartingPoint(start.load_from)
    return StartingPoint(start.checkpoint or newest(), continues=True)


def newest_checkpoint(work_dir: str) -> str | None:
    """The newest whole checkpoint as rank 0 finds it, so that all ranks take the same."""
    answer = [find_latest_checkpoint(work_dir) if is_main_process() else None]
    broadcast_object_list(answer)
    return answer[0]
