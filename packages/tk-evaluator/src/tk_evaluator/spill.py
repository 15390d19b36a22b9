"""Results kept on disk, so that a long evaluation needs little memory.

Each entry is pickled by itself into a nameless temporary file that no other
process can open and that is gone with this one; in memory stay 8 bytes an
entry. Reading is lazy: whoever iterates holds one entry at a time.
"""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray


class SpillFile:
    """Entries appended to a temporary file, read back by their number."""

    def __init__(self, folder: str | None = None) -> None:
        self.folder = folder
        self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115  # lives as long as we do
        self._starts: list[NDArray[np.int64]] = []
        self._end = 0
        self._bounds: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return sum(map(len, self._starts))

    def extend(self, entries: Iterable[Any]) -> None:
        """Append the entries; a full disk shows here, with nothing half counted."""
        records = [pickle.dumps(entry, protocol=5) for entry in entries]
        lengths = np.fromiter(map(len, records), dtype=np.int64, count=len(records))
        self._file.seek(self._end)
        self._file.writelines(records)
        self._file.flush()
        self._starts.append(self._end + np.cumsum(lengths) - lengths)
        self._end += int(lengths.sum())
        self._bounds = None

    def read(self, number: int) -> Any:
        """Entry ``number``, as it was."""
        if self._bounds is None:
            self._bounds = np.concatenate([*self._starts, [self._end]]).astype(np.int64)
        start, end = int(self._bounds[number]), int(self._bounds[number + 1])
        self._file.seek(start)
        return pickle.loads(self._file.read(end - start))  # noqa: S301  # our own nameless file

    def read_range(self, start: int, stop: int) -> list[Any]:
        """The entries from ``start`` up to ``stop`` or the last one."""
        return [self.read(number) for number in range(start, min(stop, len(self)))]

    def __del__(self) -> None:
        """Give the disk space back, when the last view of the entries goes."""
        file = getattr(self, "_file", None)
        if file is not None:
            file.close()


class SpilledResults(Sequence[Any]):
    """A sequence over spilled entries in a given order; items are read when asked for."""

    def __init__(self, file: SpillFile, order: NDArray[np.int64]) -> None:
        self._file = file
        self._order = order

    def __len__(self) -> int:
        return len(self._order)

    def __iter__(self) -> Iterator[Any]:
        return map(self._file.read, self._order.tolist())

    @overload
    def __getitem__(self, at: int) -> Any: ...
    @overload
    def __getitem__(self, at: slice) -> SpilledResults: ...
    def __getitem__(self, at: int | slice) -> Any:
        """One entry, or a view of a part of them."""
        if isinstance(at, slice):
            return SpilledResults(self._file, self._order[at])
        return self._file.read(int(self._order[at]))
