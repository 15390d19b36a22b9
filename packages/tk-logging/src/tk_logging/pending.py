"""Scalars that still live on a device: kept, folded, brought over in one copy.

Values that come together (one call of ``update_scalars``) form a row; rows of the
same histories, device and dtype family form a lane; a lane is cut into blocks
wherever another value of one of its histories comes in between, so that every
history gets its values in order. When somebody reads, all blocks of all lanes with
the same device and dtype family go over in one copy.

When nobody reads, rows older than the kept values of their histories are summed up
on the device. What that changes: nothing for the last ``max_length`` values, counts,
minimum, maximum and ``current``; the sum over everything is then added up in another
order, in double precision (single on devices that have no other).
"""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any

from .history import HistoryBuffer
from .rows import Place, Row
from .transfer import Copy, read_now, start_copy
from .windows import RunningStats

_ROWS_PER_BLOCK = 256  # small tensors alive at a time, per lane
_MAX_LANES = 128  # sets of keys that are updated together; more are read early
_MAX_IN_FLIGHT = 4  # copies on their way; the oldest is then waited for


class Block:
    """Consecutive rows of a lane, on the device or, once brought over, as numbers."""

    def __init__(self, histories: Sequence[HistoryBuffer], generation: int) -> None:
        self.histories = histories
        self.generation = generation
        self.is_sent = False
        self.is_folded = False
        self.is_open = True
        self.numbers: list[float] | None = None
        self._rows: list[Any] = []
        self._kind: tuple[Any, ...] = ()  # type, dtype and device of the first row
        self._counts: list[Sequence[int] | None] = []
        for column, history in enumerate(histories):
            history.expect(Column(self, column), feeder=self)

    def __len__(self) -> int:
        return len(self._counts)

    def is_like_the_last(self, tensor: Any) -> bool:
        """Whether ``tensor`` may be appended as it is: one value of this only history."""
        return (
            (type(tensor), tensor.dtype, tensor.device) == self._kind
            and len(self.histories) == 1
            and not tensor.requires_grad
            and not tensor.dim()
        )

    def append(self, values: Any, counts: Sequence[int] | None) -> None:
        """Take a row."""
        if not self._rows:
            self._kind = (type(values), values.dtype, values.device)
        self._rows.append(values)
        self._counts.append(counts)
        if len(self._counts) >= _ROWS_PER_BLOCK:
            self.close()
            self.packed()

    def close(self) -> None:
        """Take no more rows; what comes next, comes after."""
        self.is_open = False
        for history in self.histories:
            history.unfeed(self)

    def packed(self) -> Any:
        """All values of a closed block in one tensor, row after row; the small ones go."""
        if len(self._rows) > 1 or self._rows[0].dim() == 0:
            torch = sys.modules["torch"]
            join = torch.stack if len(self.histories) == 1 else torch.cat
            self._rows = [join(self._rows)]
        return self._rows[0]

    def release(self) -> None:
        """Let the tensors go."""
        self._rows = []

    def counts(self, column: int) -> list[int]:
        """The counts of one history's values."""
        if not any(self._counts):
            return [1] * len(self._counts)  # the usual case
        return [1 if counts is None else counts[column] for counts in self._counts]


class Column:
    """The values of one history in a block."""

    def __init__(self, block: Block, column: int) -> None:
        self._block = block
        self._column = column

    @property
    def is_sent(self) -> bool:
        """Whether the copy to the host has begun."""
        return self._block.is_sent

    @property
    def is_folded(self) -> bool:
        """Whether the values come as statistics."""
        return self._block.is_folded

    def values(self) -> Sequence[float] | None:
        """The values, or None while they are on the device."""
        numbers = self._block.numbers
        if numbers is None:
            return None
        return numbers[self._column :: len(self._block.histories)]

    def counts(self) -> Sequence[int]:
        """The count of each value."""
        return self._block.counts(self._column)


class Summary:
    """Statistics of many rows, on the device: sums, minima and maxima of each column."""

    def __init__(self, block: Block) -> None:
        self.histories = block.histories
        self.generation = block.generation
        self.length = len(block)
        self.counts = [sum(block.counts(column)) for column in range(len(block.histories))]
        table = block.packed().reshape(len(block), -1)
        table = table.to(_widest(table))
        self.parts = [table.sum(0), table.amin(0), table.amax(0)]

    def merge(self, other: Summary) -> None:
        """Take in the statistics of later rows."""
        torch = sys.modules["torch"]
        joins = (torch.add, torch.minimum, torch.maximum)
        self.parts = [
            join(*pair) for join, *pair in zip(joins, self.parts, other.parts, strict=True)
        ]
        self.generation = max(self.generation, other.generation)
        self.length += other.length
        self.counts = [sum(pair) for pair in zip(self.counts, other.counts, strict=True)]

    def deliver(self, numbers: Sequence[float]) -> None:
        """Give each history its statistics."""
        width = len(self.histories)
        for column, history in enumerate(self.histories):
            stats = RunningStats()
            stats.sum, stats.lowest, stats.highest = map(float, numbers[column::width])
            stats.length, stats.count = self.length, self.counts[column]
            history.absorb(stats, self.generation)


class Lane:
    """Rows of one set of histories, in order: the old summed up, the new kept."""

    def __init__(self, histories: Sequence[HistoryBuffer]) -> None:
        self.histories = histories
        self.blocks: deque[Block] = deque()
        self.summaries: list[Summary] = []

    def append(self, row: Row, generation: int) -> None:
        """Take a row; sum up what is too old to be kept."""
        if not self.blocks or not self.blocks[-1].is_open:
            self.blocks.append(Block(self.histories, generation))
            self._fold()
        self.blocks[-1].append(row.values, row.counts)

    def _fold(self) -> None:
        keep = max(history.max_length for history in self.histories)
        num_rows = sum(map(len, self.blocks))
        if num_rows < keep + _ROWS_PER_BLOCK:
            return
        while num_rows - len(self.blocks[0]) >= keep:
            block = self.blocks.popleft()
            num_rows -= len(block)
            self.summaries.append(Summary(block))
            block.is_folded = True
            block.release()
        self._merge_summaries()
        for history in self.histories:
            history.take_in()

    def _merge_summaries(self) -> None:
        """Join what no open window tells apart."""
        begins = sorted({opening for history in self.histories for opening in history.openings()})
        merged: dict[int, Summary] = {}
        for summary in self.summaries:
            stretch = bisect_right(begins, summary.generation)
            if stretch in merged:
                merged[stretch].merge(summary)
            else:
                merged[stretch] = summary
        self.summaries = list(merged.values())


class Shipment:
    """One copy to the host and what its numbers mean."""

    def __init__(self, lanes: Sequence[Lane], copy: Callable[[Any], Copy]) -> None:
        torch = sys.modules["torch"]
        self._blocks = [block for lane in lanes for block in lane.blocks]
        self._summaries = [summary for lane in lanes for summary in lane.summaries]
        for block in self._blocks:
            block.close()
        pieces = [block.packed() for block in self._blocks]
        for summary in self._summaries:
            pieces += summary.parts
        self._sizes = [piece.numel() for piece in pieces]
        self._copy = copy(torch.cat(pieces) if len(pieces) > 1 else pieces[0])
        for block in self._blocks:
            block.is_sent = True

    def is_done(self) -> bool:
        """Whether ``unload`` would not wait."""
        return self._copy.is_done()

    def unload(self) -> None:
        """Give every history its values; waits for those that are on their way."""
        arrived = self._copy.numbers()
        if type(arrived[0]) is not float:
            arrived = [float(number) for number in arrived]
        numbers = _pieces(arrived, self._sizes)
        for block in self._blocks:
            block.numbers = next(numbers)
            block.release()
        histories = {history: None for part in self._blocks for history in part.histories}
        for history in histories:
            history.take_in()
        for summary in self._summaries:
            summary.deliver([*next(numbers), *next(numbers), *next(numbers)])


class PendingScalars:
    """All values of a hub that are not on the host yet."""

    def __init__(
        self,
        lock: AbstractContextManager[Any],
        start: Callable[[Any], Copy] = start_copy,
    ) -> None:
        self._lock = lock
        self._start = start
        self._lanes: dict[tuple[Place, tuple[HistoryBuffer, ...]], Lane] = {}
        self._shipments: deque[Shipment] = deque()
        self._generation = 0
        self.num_reads = 0  # copies to the host so far

    def extend(self, tensor: Any, history: HistoryBuffer) -> bool:
        """Keep one more value of the kind that ``history`` got last; False where it is another.

        The usual case, a loss at each step: its lane need not be looked up again.
        """
        with self._lock:
            block = history.feeder
            is_usual = block is not None and block.is_like_the_last(tensor)
            if is_usual:
                block.append(tensor.clone(), None)
            return is_usual

    def store(self, row: Row, histories: tuple[HistoryBuffer, ...]) -> None:
        """Keep one row for the histories of its keys."""
        with self._lock:
            lane = self._lanes.get((row.place, histories))
            if lane is None:
                if len(self._lanes) >= _MAX_LANES:
                    self.collect()
                for history in histories:
                    history.attach(self, self._lock)
                lane = self._lanes[row.place, histories] = Lane(histories)
            lane.append(row, self._generation)

    def collect(self) -> None:
        """Bring everything over: one read for each device and dtype family; waits for it."""
        with self._lock:
            self._unload_oldest(len(self._shipments))
            self._ship(read_now)
            self._unload_oldest(len(self._shipments))

    def collect_async(self) -> None:
        """Begin to bring everything over, and take in what has arrived; does not wait.

        At most a few copies are on their way; a further one waits for the oldest.
        """
        with self._lock:
            self._unload_arrived()  # first: the pinned memory of old copies serves the new ones
            self._ship(self._start)
            self._unload_oldest(len(self._shipments) - _MAX_IN_FLIGHT)
            self._unload_arrived()

    def settle(self, history: HistoryBuffer) -> None:
        """What a reader of ``history`` is owed: the newest values, or those asked for last.

        Values that a copy is bringing already are not waited for, unless there is
        nothing else to read.
        """
        with self._lock:
            self._unload_arrived()
            if history.waits_for_unsent() or not history.has_values():
                self.collect()

    def next_generation(self) -> int:
        """A number for what is stored from now on."""
        with self._lock:
            self._generation += 1
            return self._generation

    def _ship(self, copy: Callable[[Any], Copy]) -> None:
        by_place: defaultdict[Place, list[Lane]] = defaultdict(list)
        for (place, _), lane in self._lanes.items():
            by_place[place].append(lane)
        shipments = [Shipment(lanes, copy) for lanes in by_place.values()]
        self._lanes.clear()  # only now: an error of the device leaves everything as it was
        self._shipments.extend(shipments)
        self.num_reads += len(shipments)

    def _unload_arrived(self) -> None:
        while self._shipments and self._shipments[0].is_done():
            self._shipments.popleft().unload()

    def _unload_oldest(self, number: int) -> None:
        for _ in range(number):
            self._shipments[0].unload()
            self._shipments.popleft()


def _pieces(numbers: list[float], sizes: Sequence[int]) -> Iterator[list[float]]:
    """``numbers`` cut into pieces of the given sizes."""
    begin = 0
    for size in sizes:
        yield numbers[begin : begin + size]
        begin += size


def _widest(table: Any) -> Any:
    torch = sys.modules["torch"]
    if not table.dtype.is_floating_point:
        return torch.int64
    return torch.float32 if table.device.type == "mps" else torch.float64
