"""What every loop is: a run, its data, and something to do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from ..data import StatefulLoader
from ..interfaces.run import RunLike


class BaseLoop(ABC):
    """A pass over data that a run makes; subclasses say what happens with each batch."""

    def __init__(self, runner: RunLike, dataloader: Any, *, is_training: bool = False) -> None:
        self._runner = runner
        self.dataloader: StatefulLoader = runner.build_dataloader(
            dataloader, is_training=is_training
        )

    @property
    def runner(self) -> RunLike:
        """The run that this loop belongs to."""
        return self._runner

    def end_workers(self) -> None:
        """End the data-loading processes that are still there."""
        self.dataloader.end_workers()

    @abstractmethod
    def run(self) -> Any:
        """Go through the data as the loop is meant to."""


def length_of(dataloader: Any) -> int | None:
    """Batches of one pass over the data; None where its dataset has no length."""
    try:
        return len(dataloader)
    except TypeError:
        return None
