"""What a run and its hooks ask of a loop, whoever wrote it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from ..data import StatefulLoader


class LoopLike(Protocol):
    """A pass over data that a run makes."""

    @property
    def dataloader(self) -> StatefulLoader:
        """The data; of several sets the first."""

    def run(self) -> Any:
        """Go through the data as the loop is meant to."""

    def end_workers(self) -> None:
        """End the data-loading processes that are still there."""


class TrainLoopLike(LoopLike, Protocol):
    """A loop that trains, counts what is finished, and can be saved and resumed."""

    stop_training: bool  # set by a hook that ends the training; only such hooks need it

    @property
    def by_epoch(self) -> bool:
        """Whether the length of the training is counted in epochs."""

    @property
    def epoch(self) -> int:
        """Epochs that are finished."""

    @property
    def iter(self) -> int:
        """Iterations that are finished."""

    @property
    def max_epochs(self) -> int:
        """Epochs of the whole training."""

    @property
    def max_iters(self) -> int:
        """Iterations of the whole training."""

    @property
    def is_validating(self) -> bool:
        """Whether a validation has begun and did not come to its end."""

    @property
    def random_state(self) -> dict[str, Any]:
        """The random state that a run which is resumed from here must begin with."""

    def state_dict(self) -> dict[str, Any]:
        """Where the loop stands, with at least ``epoch`` and ``iter``; plain values only."""

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from what ``state_dict`` gave."""

    def restore_randomness(self, restore: Callable[[], None]) -> None:
        """Call ``restore`` before the next random number is drawn."""


class EvaluationLoopLike(LoopLike, Protocol):
    """A loop that validates or tests; ``run`` returns the metrics by name."""

    @property
    def num_batches(self) -> int:
        """Batches of a whole pass, on this rank."""

    @property
    def is_complete(self) -> bool:
        """Whether all metrics of the latest pass are known."""

    def rule_of(self, metric: str) -> str | None:
        """``greater`` or ``less``, whichever is better; None where nobody knows."""


def missing_members(loop: object, interface: type) -> list[str]:
    """The members of ``interface`` that ``loop`` does not have, sorted."""
    names = {
        name
        for base in interface.__mro__
        if base is not object and base.__module__ == __name__
        for name in vars(base)
        if not name.startswith("_")
    }
    return sorted(name for name in names if not hasattr(loop, name))
