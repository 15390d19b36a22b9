"""Values that still live on a device: kept in order, brought over in one copy.

Values that come together (one call of ``update_scalars``) are a row; consecutive rows of
the same scalars are a block. A block ends where a value of one of its scalars comes in
another way, so that the log of blocks holds the values of every scalar in order. When
somebody reads, everything in the log goes over in one copy for each device and dtype
family. When nobody reads, such a copy begins after ``ROWS_BEFORE_COPY`` rows, and
nobody waits for it.
"""

from __future__ import annotations

import sys
from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from .rows import Place, Row
from .series import counted
from .transfer import Copy, start_copy

if TYPE_CHECKING:
    from .history import HistoryBuffer  # which asks for its values here

_dtype_of = attrgetter("dtype")
ROWS_BEFORE_COPY = 1024  # small tensors alive at a time; more than a usual log interval
MAX_IN_FLIGHT = 4  # copies on their way; a further one waits for the oldest


class Block:
    """Consecutive rows of the same histories, device and dtype family."""

    __slots__ = (
        "_counts",
        "_dtype",
        "_rows",
        "_type",
        "histories",
        "is_open",
        "place",
        "rows",
        "size",
    )

    def __init__(self, place: Place, histories: tuple[HistoryBuffer, ...]) -> None:
        self.place = place
        self.histories = histories
        self.is_open = True  # whether further rows may be appended
        self.size = 0  # numbers in all rows
        self.rows: list[Any] = []
        self._counts: dict[int, Sequence[int]] = {}  # by row, where one of them is not 1
        self._type: Any = None  # of tensors that are usual here
        self._dtype: Any = None

    def append(self, values: Any, counts: Sequence[int] | None = None) -> None:
        """Add a row."""
        if self._type is None:
            self._type, self._dtype = type(values), values.dtype
        if counts is not None:
            self._counts[len(self.rows)] = counts
        self.rows.append(values)
        self.size += len(self.histories)

    def row_of(self, tensors: Sequence[Any]) -> Any:
        """The tensors as a further row, copied; None where they are not of the usual kind."""
        if len(tensors) != len(self.histories):
            return None
        if len(tensors) == 1:
            tensor = tensors[0]
            if type(tensor) is not self._type or tensor.dtype is not self._dtype or tensor.dim():
                return None
            if tensor.device != self.place[0]:
                return None
            return (tensor.detach() if tensor.requires_grad else tensor).clone()
        if set(map(type, tensors)) != {self._type} or set(map(_dtype_of, tensors)) != {self._dtype}:
            return None
        try:
            row = sys.modules["torch"].stack(tensors)
        except RuntimeError:  # shapes or devices differ
            return None
        if row.dim() > 1 or row.device != self.place[0]:
            return None
        return row.detach() if row.requires_grad else row

    def successor(self) -> Block:
        """An empty block for more of the same."""
        block = Block(self.place, self.histories)
        block._type, block._dtype = self._type, self._dtype
        return block

    def packed(self) -> Any:
        """All values in one tensor, row after row; the small ones are let go."""
        if len(self.rows) > 1 or self.rows[0].dim() == 0:
            torch = sys.modules["torch"]
            join = torch.stack if len(self.histories) == 1 else torch.cat
            self.rows = [join(self.rows)]
        return self.rows[0]

    def deliver(self, numbers: list[float]) -> None:
        """Give every history its values."""
        width = len(self.histories)
        for column, history in enumerate(self.histories):
            values = numbers[column::width]
            for row, counts in self._counts.items():
                values[row] = counted(values[row], counts[column])
            history.series.extend(values, has_counts=bool(self._counts))


class Later(NamedTuple):
    """What is to happen to a history once the values before it have arrived."""

    histories: tuple[HistoryBuffer]
    act: Callable[[], object]


class Shipment:
    """Blocks on their way to the host, with what else happens in their order."""

    def __init__(self, entries: list[Block | Later], start: Callable[[Any], Copy]) -> None:
        torch = sys.modules["torch"]
        pieces: defaultdict[Place, list[Any]] = defaultdict(list)
        for entry in entries:
            if isinstance(entry, Block):
                pieces[entry.place].append(entry.packed())
        self.entries = entries
        self.copies = {
            place: start(torch.cat(parts) if len(parts) > 1 else parts[0])
            for place, parts in pieces.items()
        }

    def is_done(self) -> bool:
        """Whether ``deliver`` would not wait."""
        return all(copy.is_done() for copy in self.copies.values())

    def deliver(self) -> None:
        """Give every history its values; waits for those that are on their way."""
        arrived = {place: copy.numbers() for place, copy in self.copies.items()}
        begins = dict.fromkeys(arrived, 0)
        for entry in self.entries:
            if isinstance(entry, Block):
                begin = begins[entry.place]
                end = begins[entry.place] = begin + entry.size
                entry.deliver(arrived[entry.place][begin:end])
            else:
                entry.act()


class PendingScalars:
    """All values of a hub that are not on the host yet."""

    def __init__(
        self,
        lock: AbstractContextManager[Any],
        start: Callable[[Any], Copy] = start_copy,
    ) -> None:
        self._lock = lock
        self._start = start
        self._log: list[Block | Later] = []  # what no copy has begun for
        self._num_rows = 0  # in the log
        self._blocks: dict[tuple[Place, tuple[HistoryBuffer, ...]], Block] = {}  # open ones
        self._open: dict[HistoryBuffer, Block] = {}  # the open block of each history
        self._shipments: deque[Shipment] = deque()
        self._waiting: dict[HistoryBuffer, int] = {}  # how many entries each history waits for
        self.num_reads = 0  # copies to the host so far

    def open_block(self, histories: tuple[HistoryBuffer, ...]) -> Block | None:
        """The block that takes further rows of just these histories, if there is one."""
        block = self._open.get(histories[0]) if histories else None
        return block if block is not None and block.histories == histories else None

    def extend(self, block: Block, tensors: Sequence[Any]) -> Block | None:
        """Add a row of the kind that is usual in ``block``; None where the tensors are another.

        Returns:
            The block with the row: another one where ``block`` takes no more.
        """
        row = block.row_of(tensors)
        if row is None:
            return None
        with self._lock:
            if not block.is_open:
                block = self._opened(block.successor())
            block.rows.append(row)
            block.size += len(tensors)
            self._num_rows += 1
            if self._num_rows >= ROWS_BEFORE_COPY:
                self.collect_async()
        return block

    def store(self, row: Row, histories: tuple[HistoryBuffer, ...]) -> None:
        """Keep one row for the histories of its keys."""
        with self._lock:
            block = self._blocks.get((row.place, histories))
            if block is None:
                block = self._opened(Block(row.place, histories))
            block.append(row.values, row.counts)
            self._count_row()

    def defer(self, history: HistoryBuffer, act: Callable[[], object]) -> None:
        """Call ``act`` when all values that ``history`` was given so far have arrived."""
        with self._lock:
            if history not in self._waiting:
                act()
                return
            self._enter(Later((history,), act))
            self._count_row()

    def collect(self) -> None:
        """Bring everything over: one read for each device and dtype family; waits for it."""
        with self._lock:
            self._deliver_oldest(len(self._shipments))
            self._ship(Copy)
            self._deliver_oldest(len(self._shipments))

    def collect_async(self) -> None:
        """Begin to bring everything over, and deliver what has arrived; does not wait.

        At most a few copies are on their way; a further one waits for the oldest.
        """
        with self._lock:
            self._deliver_arrived()  # first: the pinned memory of old copies serves the new ones
            self._ship(self._start)
            self._deliver_oldest(len(self._shipments) - MAX_IN_FLIGHT)
            self._deliver_arrived()

    def settle(self, history: HistoryBuffer) -> None:
        """Deliver what a reader of ``history`` should see.

        These are the newest values; but where a copy is bringing them already, those that
        have arrived, unless none has.
        """
        with self._lock:
            self._deliver_arrived()
            if not self._shipments:
                self._act_on_time()
            if history in self._waiting and (self.is_unsent(history) or not len(history.series)):
                self.collect()

    def is_unsent(self, history: HistoryBuffer) -> bool:
        """Whether ``history`` has values for which no copy has begun."""
        return history in self._open or any(
            isinstance(entry, Block) and history in entry.histories for entry in self._log
        )

    # -- the log ------------------------------------------------------------------

    def _opened(self, block: Block) -> Block:
        self._enter(block)
        self._blocks[block.place, block.histories] = block
        for history in block.histories:
            self._open[history] = block
        return block

    def _enter(self, entry: Block | Later) -> None:
        """Put an entry behind all that its histories were given before."""
        for history in entry.histories:
            if (block := self._open.get(history)) is not None:
                self._close(block)
            if history.source is not self:
                history.wait_for(self)
            self._waiting[history] = self._waiting.get(history, 0) + 1
        self._log.append(entry)

    def _close(self, block: Block) -> None:
        block.is_open = False
        del self._blocks[block.place, block.histories]
        for history in block.histories:
            del self._open[history]

    def _count_row(self) -> None:
        self._num_rows += 1
        if self._num_rows >= ROWS_BEFORE_COPY:
            self.collect_async()

    # -- copies --------------------------------------------------------------------

    def _ship(self, start: Callable[[Any], Copy]) -> None:
        if not self._log:
            return
        for block in self._blocks.values():
            block.is_open = False
        self._blocks.clear()
        self._open.clear()
        shipment = Shipment(self._log, start)
        self._log = []  # only now: an error of the device leaves everything as it was
        self._num_rows = 0
        self._shipments.append(shipment)
        self.num_reads += len(shipment.copies)

    def _deliver_arrived(self) -> None:
        while self._shipments and self._shipments[0].is_done():
            self._deliver_oldest(1)

    def _deliver_oldest(self, number: int) -> None:
        for _ in range(number):
            shipment = self._shipments[0]
            shipment.deliver()
            self._shipments.popleft()
            for entry in shipment.entries:
                self._release(entry.histories)

    def _act_on_time(self) -> None:
        """Do what waits in the log for values that have arrived; no copy is on its way."""
        waiting: set[HistoryBuffer] = set()
        log, self._log = self._log, []
        for entry in log:
            if isinstance(entry, Later) and waiting.isdisjoint(entry.histories):
                entry.act()
                self._release(entry.histories)
            else:
                waiting.update(entry.histories)
                self._log.append(entry)

    def _release(self, histories: Sequence[HistoryBuffer]) -> None:
        for history in histories:
            if self._waiting[history] > 1:
                self._waiting[history] -= 1
            else:
                del self._waiting[history]
                history.source = None
