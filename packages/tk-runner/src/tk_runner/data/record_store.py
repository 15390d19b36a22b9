"""Records as bytes, so that worker processes share them.

Every record is pickled into one tensor of bytes; a second tensor holds where
each one ends. Forked workers read the same pages, since no reference count in
them ever changes; spawned ones get the tensors through shared memory.
"""

from __future__ import annotations

import operator
import pickle
from array import array
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import torch

Ends = np.ndarray[Any, np.dtype[np.int64]]


class RecordStore(Sequence[Any]):
    """An immutable list of pickled records; each reading makes a fresh copy.

    Args:
        data: ``uint8``, the pickles one after another.
        ends: ``int64``, position behind each pickle.
    """

    def __init__(self, data: torch.Tensor, ends: torch.Tensor) -> None:
        self.data = data
        self.ends = ends
        self._views: tuple[memoryview, Ends] | None = None

    def _viewed(self) -> tuple[memoryview, Ends]:
        """The tensors in the form that is cheapest to read."""
        if self._views is None:
            content = memoryview(self.data.numpy())  # type: ignore[arg-type]
            self._views = content, self.ends.numpy()
        return self._views

    @classmethod
    def pack(cls, records: Iterable[Any]) -> RecordStore:
        """A store of all records; they are read once, in order."""
        data, ends = bytearray(), array("q")
        dumps, protocol, add_end = pickle.dumps, pickle.HIGHEST_PROTOCOL, ends.append
        for record in records:
            data += dumps(record, protocol)
            add_end(len(data))
        return cls(_tensor(data, torch.uint8), _tensor(ends, torch.int64))

    def __len__(self) -> int:
        return len(self.ends)

    def __getitem__(self, index: Any) -> Any:
        """Record ``index``; negative ones count from the end."""
        size = len(self.ends)
        if not -size <= index < size:
            raise IndexError(f"record {index} of {size}")
        return pickle.loads(self._raw(index % size))  # noqa: S301 - written by pack()

    def _raw(self, index: int) -> memoryview:
        content, ends = self._views or self._viewed()
        return content[ends.item(index - 1) if index else 0 : ends.item(index)]

    def select(self, positions: Iterable[int]) -> RecordStore:
        """A store of these records only, with bytes of its own."""
        data, ends = bytearray(), array("q")
        for position in positions:
            data += self._raw(position)
            ends.append(len(data))
        return RecordStore(_tensor(data, torch.uint8), _tensor(ends, torch.int64))

    def __getstate__(self) -> dict[str, Any]:
        self._views = None  # sending to another process moves the tensors into shared memory
        return {"data": self.data, "ends": self.ends}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _views=None)


def chosen_positions(indices: object, size: int) -> Sequence[int]:
    """Positions among ``size`` that ``indices`` means, none of them negative."""
    if isinstance(indices, (np.ndarray, torch.Tensor)):
        indices = indices.tolist()
    if isinstance(indices, int) and not isinstance(indices, bool):
        return range(min(indices, size)) if indices >= 0 else range(max(size + indices, 0), size)
    if not isinstance(indices, Sequence) or isinstance(indices, (str, bytes)):
        raise TypeError(
            f"a subset is an integer or a sequence of positions, not {type(indices).__name__}"
        )
    positions = [operator.index(position) for position in indices]
    for position in positions:
        if not -size <= position < size:
            raise IndexError(f"a subset asks for sample {position} of {size}")
    return [position % size for position in positions]


def _tensor(buffer: bytearray | array[int], dtype: torch.dtype) -> torch.Tensor:
    """The buffer as a tensor, without a copy."""
    return torch.frombuffer(buffer, dtype=dtype) if len(buffer) else torch.empty(0, dtype=dtype)
