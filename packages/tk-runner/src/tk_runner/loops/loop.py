"""What every loop is: a run, its data, and something to do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from ..interfaces.run import RunnerView


class BaseLoop(ABC):
    """A pass over data that a run makes; subclasses say what happens with each batch."""

    def __init__(self, runner: RunnerView, dataloader: Any, *, is_training: bool = False) -> None:
        self._runner = runner
        self.dataloader = runner.build_dataloader(dataloader, is_training=is_training)

    @property
    def runner(self) -> RunnerView:
        """The run that this loop belongs to."""
        return self._runner

    def end_workers(self) -> None:
        """End the data-loading processes that are still there."""
        end_workers(self.dataloader)

    @abstractmethod
    def run(self) -> Any:
        """Go through the data as the loop is meant to."""


def end_workers(dataloader: Any) -> None:
    """End the processes of a loader that can; a loop of somebody's own may have another."""
    end = getattr(dataloader, "end_workers", None)
    if end is not None:
        end()
