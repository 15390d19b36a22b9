"""Counting micro-batches into groups, each of which is one update.

Pure counting: which batches belong together. A group can be shorter than the
others: the last one of a run, the first one after a resume in the middle of a
group, and one that was closed early. Its size is then what is really in it, so
that its gradient is a mean too.
"""

from __future__ import annotations

from ..counts import is_count
from ..errors import InvalidSettingError


class Accumulation:
    """Where a run stands in its groups of micro-batches.

    Args:
        every: micro-batches of a full group.

    Attributes:
        count: micro-batches done.
    """

    __slots__ = ("_origin", "_start", "_stop", "_total", "count", "every")

    def __init__(self, every: int) -> None:
        if not is_count(every, 1):
            raise InvalidSettingError(
                f"accumulative_counts={every!r}: give the number of batches of one update, "
                "1 or more"
            )
        self.every = every
        self.begin_at(0, -1)

    def begin_at(self, count: int, total: int, *, with_gradients: bool = False) -> None:
        """Go on at ``count`` of ``total``; groups stay where a run without a break has them.

        A ``total`` of -1 is not known. ``with_gradients`` says that those of the
        running group were brought back.
        """
        self.count = self._start = self._stop = count
        self._total = total
        self._origin = 0
        if with_gradients:
            self._open()
            self._start -= count % self.every

    def close_here(self) -> None:
        """End the group now; the next one is a full one again."""
        self._origin = self._start = self._stop = self.count

    def advance(self) -> None:
        """Count one micro-batch."""
        if self.count >= self._stop:
            if self.every == 1:  # each step
                self._start, self._stop = self.count, self.count + 1
            else:
                self._open()
        self.count += 1

    @property
    def group_size(self) -> int:
        """Micro-batches in the group that the next one belongs to."""
        if self.count >= self._stop:
            self._open()
        return self._stop - self._start

    @property
    def is_full(self) -> bool:
        """Whether the group is complete, or none was begun."""
        return self.count == self._stop or self.count == self._start  # each step

    @property
    def next_fills(self) -> bool:
        """Whether the next micro-batch completes its group."""
        if self.count >= self._stop:
            self._open()
        return self.count + 1 == self._stop

    @property
    def pending(self) -> int:
        """Micro-batches whose gradients wait for the group to be full."""
        return 0 if self.is_full else self.count - self._start

    def _open(self) -> None:
        """Begin a group at ``count``; it ends on the grid of groups, or with the run."""
        self._start = self.count
        self._stop = self.count + self.every - (self.count - self._origin) % self.every
        if self.count < self._total:
            self._stop = min(self._stop, self._total)
