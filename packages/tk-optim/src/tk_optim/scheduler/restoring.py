"""Which saved state belongs to which schedule of a resumed run.

By kind, not by place in a list: a schedule that was added, removed or moved
does not take the position of another one. A schedule without a saved state
starts where the run stands, and says so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

State = Mapping[str, Any]


@dataclass(frozen=True)
class Progress:
    """Where the run stands that schedules go on in.

    Attributes:
        epoch: epochs that are finished.
        iteration: iterations that are finished.
        epoch_length: iterations of an epoch now; None where it is not known.
        saved_epoch_length: those of the run that was saved; None where not known.
    """

    epoch: int
    iteration: int
    epoch_length: int | None = None
    saved_epoch_length: int | None = None

    @property
    def is_rescaled(self) -> bool:
        """Whether an epoch has another length than in the run that was saved."""
        lengths = (self.epoch_length, self.saved_epoch_length)
        return None not in lengths and lengths[0] != lengths[1]


def restore_schedules(
    schedules: Sequence[Any], states: Sequence[State], progress: Progress
) -> list[str]:
    """Bring every schedule to where the run stands.

    Args:
        schedules: those of the resumed run.
        states: what ``state_dict`` of the saved run's schedules gave.
        progress: where the run stands.

    Returns:
        A sentence about each schedule or state that found no partner, and about
        each schedule that keeps its numbers though an epoch has another length.
    """
    state_of, surplus = _matched(schedules, states)
    messages = []
    for index, schedule in enumerate(schedules):
        state = state_of.get(index)
        if state is None:
            step = _start(schedule, progress)
            messages.append(
                f"{_name(schedule)} has no saved state: it starts where the run stands, "
                f"at its step {step}"
            )
            continue
        if progress.saved_epoch_length and "epoch_length" not in state:
            state = {**state, "epoch_length": progress.saved_epoch_length}
        schedule.load_state_dict(state)
        counts_iterations = not schedule.by_epoch and not getattr(schedule, "epoch_length", None)
        if progress.is_rescaled and counts_iterations:
            messages.append(
                f"{_name(schedule)} counts iterations and keeps its numbers, though an epoch has "
                f"{progress.epoch_length} iterations now and had {progress.saved_epoch_length}; "
                "write it in epochs (convert_to_iter_based=True) to have it follow the epochs"
            )
    messages += [
        f"the saved state of {state.get('type', 'a schedule')} belongs to none of this run's "
        "schedules and is not used"
        for state in surplus
    ]
    return messages


def _matched(
    schedules: Sequence[Any], states: Sequence[State]
) -> tuple[dict[int, State], list[State]]:
    """Pairs of equal settings first, then of one kind and unit, then of one kind; each in order."""
    free_schedules = dict(enumerate(schedules))
    free_states = list(states)
    found: dict[int, State] = {}
    for fits in (_has_equal_settings, _has_equal_unit, _is_of_one_kind):
        for index, schedule in list(free_schedules.items()):
            state = next((each for each in free_states if fits(schedule, each)), None)
            if state is not None:
                found[index] = state
                free_states = [each for each in free_states if each is not state]
                del free_schedules[index]
    return found, free_states


def _is_of_one_kind(schedule: Any, state: State) -> bool:
    """Of one class and value; an old state tells its class by the names of its settings only."""
    if not _can_convert(schedule, state):
        return False
    now = _state(schedule)
    if "type" in state and "type" in now:
        return (state["type"], state.get("param_name")) == (now["type"], now["param_name"])
    saved_settings, settings = state.get("settings"), now.get("settings")
    if saved_settings is None or settings is None:
        return True  # of another library
    return set(saved_settings) == set(settings)


def _has_equal_unit(schedule: Any, state: State) -> bool:
    same_unit = state.get("by_epoch", schedule.by_epoch) == schedule.by_epoch
    return same_unit and _is_of_one_kind(schedule, state)


def _has_equal_settings(schedule: Any, state: State) -> bool:
    same = state.get("settings") == _state(schedule).get("settings")
    return same and _has_equal_unit(schedule, state)


def _can_convert(schedule: Any, state: State) -> bool:
    """Whether the saved position can be told in the unit of the schedule."""
    saved_by_epoch = bool(state.get("by_epoch", schedule.by_epoch))
    if saved_by_epoch == bool(schedule.by_epoch):
        return True
    length = (
        getattr(schedule, "epoch_length", None) if saved_by_epoch else state.get("epoch_length")
    )
    return bool(length)


def _start(schedule: Any, progress: Progress) -> int:
    """Move a schedule to where the run stands; the step that it is at."""
    length = getattr(schedule, "epoch_length", None)
    if schedule.by_epoch:
        step = progress.epoch
    elif length and progress.saved_epoch_length:
        step = round(progress.iteration * length / progress.saved_epoch_length)
    else:
        step = progress.iteration
    move: Callable[[int], None] | None = getattr(schedule, "move_to", None)
    if move is not None:
        move(step)
    return step


def _state(schedule: Any) -> State:
    state: State = schedule.state_dict()
    return state


def _name(schedule: Any) -> str:
    name = getattr(schedule, "param_name", None)
    return type(schedule).__name__ + (f" of {name}" if name else "")
