"""Counting micro-batches into groups, each of which is one update.

Pure counting: what belongs together, and how large the group of the next
micro-batch is. A group can be shorter than the others: the last one of a run,
the first one after a resume in the middle of a group, and one that was closed
early. Its size is then what is really in it, so that its gradient is a mean too.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..counts import is_count
from ..errors import InvalidSettingError


@dataclass
class Accumulation:
    """Where a run stands in its groups of micro-batches.

    Attributes:
        every: micro-batches of a full group.
        count: micro-batches done.
        first: the count at which this process began to count.
        total: micro-batches of the whole run; -1 when nobody said.
        origin: the count from which groups are laid out.
    """

    every: int
    count: int = 0
    first: int = 0
    total: int = -1
    origin: int = 0

    def __post_init__(self) -> None:
        if not is_count(self.every, 1):
            raise InvalidSettingError(
                f"accumulative_counts={self.every!r}: give the number of batches of one update, "
                "1 or more"
            )

    @property
    def group_size(self) -> int:
        """Micro-batches in the group that the next one belongs to."""
        if self.every == 1:
            return 1
        planned = self.count - (self.count - self.origin) % self.every
        stop = planned + self.every
        start = max(planned, self.first)
        if self.count < self.total:
            stop = min(stop, self.total)
        elif self.total >= 0:  # longer than was said: go on behind the end
            start = max(start, self.total)
        return stop - start

    @property
    def pending(self) -> int:
        """Micro-batches whose gradients wait for the group to be full."""
        if self.every == 1 or self.closes(self.count):
            return 0
        planned = self.count - (self.count - self.origin) % self.every
        start = max(planned, self.first)
        if self.count > self.total >= 0:
            start = max(start, self.total)
        return self.count - start

    def closes(self, count: int) -> bool:
        """Whether a group is full when ``count`` micro-batches are done."""
        return (count - self.origin) % self.every == 0 or count == self.total

    def begin_at(self, count: int, total: int, *, with_gradients: bool = False) -> None:
        """Go on at ``count`` of ``total``; groups stay where a run without a break has them.

        ``with_gradients`` says that those of the running group were brought back.
        """
        self.count, self.total, self.origin = count, total, 0
        self.first = 0 if with_gradients else count

    def close_here(self) -> None:
        """End the group now; the next one is a full one again."""
        self.origin = self.first = self.count
