"""When a training validates: begin, interval, and intervals that change on the way. Pure."""

from __future__ import annotations

import bisect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any


def calc_dynamic_intervals(
    start_interval: int, dynamic_interval_list: Sequence[tuple[int, int]] | None = None
) -> tuple[list[int], list[int]]:
    """Split ``[(from, interval), ...]`` into where an interval begins, and the intervals.

    The start interval holds from 0 on.
    """
    milestones, intervals = [0], [start_interval]
    for begin, interval in dynamic_interval_list or ():
        milestones.append(begin)
        intervals.append(interval)
    return milestones, intervals


@dataclass(frozen=True, kw_only=True)
class ValidationPlan:
    """Which finished epochs (or iterations) are followed by a validation.

    ``begin`` 0 validates once before anything was trained. The last unit is
    always validated. ``changes`` holds pairs (from this unit on, interval).
    """

    begin: int = 1
    interval: int = 1
    changes: Sequence[tuple[int, int]] = ()

    def problems(self) -> list[str]:
        """What cannot work, in words."""
        return [text for _, text in plan_problems(self.begin, self.interval, self.changes)]

    def interval_at(self, unit: int) -> int:
        """The interval that holds for the unit after ``unit`` finished ones."""
        milestones, intervals = calc_dynamic_intervals(self.interval, self.changes)
        return intervals[bisect.bisect(milestones, unit + 1) - 1]

    def is_due(self, finished: int, last: int) -> bool:
        """Whether a validation follows when ``finished`` of ``last`` units are done."""
        if finished == 0:
            return self.begin == 0
        if finished < self.begin:
            return False
        return finished == last or finished % self.interval_at(finished) == 0

    def next_due(self, finished: int, last: int) -> int:
        """The first unit after ``finished`` that is followed by a validation, at most ``last``."""
        unit = max(finished + 1, self.begin)
        while unit < last:
            interval = self.interval_at(unit)
            due = -(-unit // interval) * interval
            changes = [start - 1 for start, _ in self.changes if start - 1 > unit]
            if due < min(changes, default=last):
                return due
            unit = min(changes, default=last)
        return last


def plan_problems(
    val_begin: Any, val_interval: Any, dynamic_intervals: Any
) -> Iterator[tuple[str, str]]:
    """What cannot work as a plan of validations: the argument, and the sentence about it."""
    wrong = False
    for name, value in (("val_begin", val_begin), ("val_interval", val_interval)):
        if not isinstance(value, int):
            wrong = True
            yield name, f"{name} must be a whole number, got {value!r}"
    changes = dynamic_intervals or ()
    for pair in [*changes] if isinstance(changes, Sequence) else [changes]:
        is_pair = isinstance(pair, Sequence) and len(pair) == 2
        if not is_pair or not all(isinstance(number, int) for number in pair):
            wrong = True
            text = f"dynamic_intervals must hold pairs (begin, interval), got {pair!r}"
            yield "dynamic_intervals", text
    if wrong:
        return
    if val_begin < 0:
        text = f"val_begin={val_begin} is negative; use 0 (before training) or more"
        yield "val_begin", text
    if val_interval < 1:
        yield "val_interval", f"val_interval={val_interval} never validates; use 1 or more"
    starts = [start for start, _ in changes]
    if starts != sorted(set(starts)):
        text = f"dynamic_intervals must begin at rising units, got {starts}"
        yield "dynamic_intervals", text
    if any(interval < 1 for _, interval in changes):
        text = "dynamic_intervals holds an interval below 1; use 1 or more"
        yield "dynamic_intervals", text
