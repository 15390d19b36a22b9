"""Recording the same scalars again and again, as a loop does in each of its iterations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .history import HistoryBuffer
from .pending import Block, PendingScalars

_FLOATS = {float}


class Recorder:
    """Adds one value to each of several histories; made by ``MessageHub.recorder``.

    What the hub finds out about the first values (their histories, device and dtype)
    is kept and holds for the next ones, as long as they are of the same kind.
    """

    def __init__(
        self,
        keys: tuple[str, ...],
        histories: Mapping[str, HistoryBuffer],
        pending: PendingScalars,
        update: Callable[[dict[str, Any]], None],
    ) -> None:
        self._keys = keys
        self._all_histories = histories
        self._pending = pending
        self._update = update
        self._histories: tuple[HistoryBuffer, ...] = ()  # those of the keys, once they are there
        self._block: Block | None = None  # takes tensors

    def __call__(self, values: Sequence[Any]) -> None:
        """Add the values, in the order of the keys. Raises as ``update_scalars`` does."""
        if self._block is not None:
            self._block = self._pending.extend(self._block, values)
            if self._block is not None:
                return
        elif self._histories and set(map(type, values)) == _FLOATS:
            for history, value in zip(self._histories, values, strict=True):
                if history.source is None:
                    series = history.series
                    series.values.append(value)
                    if len(series.values) >= series.limit:
                        series.drop_old()
                else:
                    history.update(value)
            return
        self._update(dict(zip(self._keys, values, strict=True)))
        self._histories = tuple([self._all_histories[key] for key in self._keys])
        self._block = self._pending.open_block(self._histories)

    def forget(self) -> None:
        """Find everything out anew: the hub has other histories."""
        self._histories, self._block = (), None
