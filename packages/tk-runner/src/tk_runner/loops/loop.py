"""What every loop is: a run, its data, and something to do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from ..data import StatefulLoader
from ..interfaces.run import RunLike
from ..process.seed import capture_random_state


class BaseLoop(ABC):
    """A pass over data that a run makes; subclasses say what happens with each batch.

    A run asks its train loop also for ``epoch``, ``iter``, ``max_epochs``,
    ``max_iters``, ``state_dict`` and ``load_state_dict``; what else it asks its
    loops has an answer here.
    """

    by_epoch = True  # whether a train loop counts its length in epochs
    is_complete = True  # whether an evaluation loop knows all metrics of its latest pass

    def __init__(self, runner: RunLike, dataloader: Any, *, is_training: bool = False) -> None:
        self._runner = runner
        self.dataloader: StatefulLoader = runner.build_dataloader(
            dataloader, is_training=is_training
        )

    @property
    def runner(self) -> RunLike:
        """The run that this loop belongs to."""
        return self._runner

    @property
    def num_batches(self) -> int:
        """Batches of a whole pass, on this rank."""
        return len(self.dataloader)

    @property
    def is_validating(self) -> bool:
        """Whether a train loop has begun a validation that did not come to its end."""
        return False

    def rule_of(self, metric: str) -> str | None:
        """``greater`` or ``less``, whichever is better; None where nobody knows."""
        return None

    @property
    def random_state(self) -> dict[str, Any]:
        """The random state that a run which is resumed from here must begin with."""
        return capture_random_state()

    def restore_randomness(self, restore: Callable[[], None]) -> None:
        """Call ``restore`` before the next random number is drawn: here at once."""
        restore()

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
