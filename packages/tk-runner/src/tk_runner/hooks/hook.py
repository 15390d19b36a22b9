"""The base class of hooks, and the table of the points where they are called.

Every point has an empty method here; a hook overrides those it wants. Points of
the three modes (train, val, test) fall back to a shared one whose name begins
with an underscore, so that a hook for all modes is written once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from ..interfaces.run import RunLike
from .priority import Priority

DataBatch = Any  # whatever the collate function makes
MODES = ("train", "val", "test")

# Every point that a run calls, in the order in which a run meets them.
STAGES = (
    "before_run",
    "after_load_checkpoint",
    "before_train",
    "before_train_epoch",
    "before_train_iter",
    "after_train_iter",
    "after_train_epoch",
    "before_val",
    "before_val_epoch",
    "before_val_iter",
    "after_val_iter",
    "after_val_epoch",
    "after_val",
    "before_save_checkpoint",
    "after_train",
    "before_test",
    "before_test_epoch",
    "before_test_iter",
    "after_test_iter",
    "after_test_epoch",
    "after_test",
    "after_run",
    "on_exception",
    "on_exit",
)

# A point of one mode, and the shared point that serves all three.
SHARED = {
    f"{when}_{mode}_{unit}": f"_{when}_{unit}"
    for when in ("before", "after")
    for mode in MODES
    for unit in ("epoch", "iter")
}


class Hook:
    """Acts at chosen points of a run.

    Override only the points that matter: others are not called at all. What a
    hook must remember over a stop goes through ``state_dict`` and
    ``load_state_dict``; the runner saves it in each checkpoint.
    """

    priority: int | str | Priority = "NORMAL"
    stages: ClassVar[tuple[str, ...]] = STAGES

    def state_dict(self) -> dict[str, Any]:
        """What a resumed run needs to go on: tensors and plain values only."""
        return {}

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Take back what ``state_dict`` gave."""

    def iters_until_due(self, runner: RunLike, batch_idx: int) -> float | None:
        """How many iterations may pass before ``after_train_iter`` has something to do.

        A hook that acts every n-th iteration is not called in the others when it says
        so here: 0 where it acts after the iteration that begins, infinity where it
        acts only together with others. ``None`` is after each iteration. It may be
        called earlier than it said; a subclass that overrides ``after_train_iter`` and
        not this method is called after each iteration.
        """
        return None

    def before_run(self, runner: RunLike) -> None:
        """Train, val or test begins; everything is built, no weight is loaded."""

    def after_run(self, runner: RunLike) -> None:
        """Train, val or test came to its planned end."""

    def on_exception(self, runner: RunLike, error: BaseException) -> None:
        """The run ends early, by an error or because it was asked to; undo what must not stay."""

    def on_exit(self, runner: RunLike) -> None:
        """The run is over, however it ended; always called, last."""

    def after_load_checkpoint(self, runner: RunLike, checkpoint: dict[str, Any]) -> None:
        """A checkpoint was read; what is changed here is what the run loads."""

    def before_save_checkpoint(self, runner: RunLike, checkpoint: dict[str, Any]) -> None:
        """A checkpoint is about to be written; what is changed here is what it holds."""

    def before_train(self, runner: RunLike) -> None:
        """The train loop begins."""

    def after_train(self, runner: RunLike) -> None:
        """The train loop ended."""

    def before_val(self, runner: RunLike) -> None:
        """A validation begins."""

    def after_val(self, runner: RunLike) -> None:
        """A validation ended."""

    def before_test(self, runner: RunLike) -> None:
        """A test begins."""

    def after_test(self, runner: RunLike) -> None:
        """A test ended."""

    def before_train_epoch(self, runner: RunLike) -> None:
        """An epoch begins (iteration loops: once, at their start)."""
        self._before_epoch(runner, mode="train")

    def before_val_epoch(self, runner: RunLike) -> None:
        """The pass over the validation data begins."""
        self._before_epoch(runner, mode="val")

    def before_test_epoch(self, runner: RunLike) -> None:
        """The pass over the test data begins."""
        self._before_epoch(runner, mode="test")

    def after_train_epoch(self, runner: RunLike) -> None:
        """An epoch is done; ``runner.epoch`` is raised after this point."""
        self._after_epoch(runner, mode="train")

    def after_val_epoch(self, runner: RunLike, metrics: dict[str, float] | None = None) -> None:
        """The validation data is through; ``metrics`` is what the evaluators found."""
        self._after_epoch(runner, mode="val")

    def after_test_epoch(self, runner: RunLike, metrics: dict[str, float] | None = None) -> None:
        """The test data is through; ``metrics`` is what the evaluators found."""
        self._after_epoch(runner, mode="test")

    def before_train_iter(
        self, runner: RunLike, batch_idx: int, data_batch: DataBatch = None
    ) -> None:
        """Before the step over one batch."""
        self._before_iter(runner, batch_idx=batch_idx, data_batch=data_batch, mode="train")

    def before_val_iter(
        self, runner: RunLike, batch_idx: int, data_batch: DataBatch = None
    ) -> None:
        """Before the prediction for one batch."""
        self._before_iter(runner, batch_idx=batch_idx, data_batch=data_batch, mode="val")

    def before_test_iter(
        self, runner: RunLike, batch_idx: int, data_batch: DataBatch = None
    ) -> None:
        """Before the prediction for one batch."""
        self._before_iter(runner, batch_idx=batch_idx, data_batch=data_batch, mode="test")

    def after_train_iter(
        self,
        runner: RunLike,
        batch_idx: int,
        data_batch: DataBatch = None,
        outputs: dict[str, Any] | None = None,
    ) -> None:
        """After the step over one batch; ``runner.iter`` is raised after this point."""
        self._after_iter(runner, batch_idx, data_batch, outputs, mode="train")

    def after_val_iter(
        self,
        runner: RunLike,
        batch_idx: int,
        data_batch: DataBatch = None,
        outputs: Sequence[Any] | None = None,
    ) -> None:
        """After the prediction for one batch."""
        self._after_iter(runner, batch_idx, data_batch, outputs, mode="val")

    def after_test_iter(
        self,
        runner: RunLike,
        batch_idx: int,
        data_batch: DataBatch = None,
        outputs: Sequence[Any] | None = None,
    ) -> None:
        """After the prediction for one batch."""
        self._after_iter(runner, batch_idx, data_batch, outputs, mode="test")

    def _before_epoch(self, runner: RunLike, mode: str = "train") -> None:
        """Shared by the three modes."""

    def _after_epoch(self, runner: RunLike, mode: str = "train") -> None:
        """Shared by the three modes."""

    def _before_iter(
        self,
        runner: RunLike,
        batch_idx: int,
        data_batch: DataBatch = None,
        mode: str = "train",
    ) -> None:
        """Shared by the three modes."""

    def _after_iter(
        self,
        runner: RunLike,
        batch_idx: int,
        data_batch: DataBatch = None,
        outputs: Any = None,
        mode: str = "train",
    ) -> None:
        """Shared by the three modes."""

    def every_n_epochs(self, runner: RunLike, n: int, start: int = 0) -> bool:
        """Whether the running epoch is one of every ``n``, counted from ``start``."""
        since = runner.epoch + 1 - start
        return n > 0 and since >= 0 and since % n == 0

    def every_n_inner_iters(self, batch_idx: int, n: int) -> bool:
        """Whether the batch is one of every ``n`` of its epoch."""
        return n > 0 and (batch_idx + 1) % n == 0

    def every_n_train_iters(self, runner: RunLike, n: int, start: int = 0) -> bool:
        """Whether the running iteration is one of every ``n``, counted from ``start``."""
        since = runner.iter + 1 - start
        return n > 0 and since >= 0 and since % n == 0

    def end_of_epoch(self, dataloader: Any, batch_idx: int) -> bool:
        """Whether the batch is the last one of its epoch."""
        return batch_idx + 1 == len(dataloader)

    def is_last_train_epoch(self, runner: RunLike) -> bool:
        """Whether no epoch comes after the running one."""
        return runner.epoch + 1 == runner.max_epochs

    def is_last_train_iter(self, runner: RunLike) -> bool:
        """Whether no iteration comes after the running one."""
        return runner.iter + 1 == runner.max_iters

    def get_triggered_stages(self) -> list[str]:
        """The points at which this hook acts, in the order of a run."""
        return [stage for stage in STAGES if acts_at(self, stage)]


def acts_at(hook: Any, point: str) -> bool:
    """Whether calling ``point`` on this hook does anything.

    A point of one mode acts also where only the shared point is overridden. An
    object that is no `Hook` acts at whatever it has a method for.
    """
    own = getattr(hook, point, None)
    if own is None:
        return False
    if not isinstance(hook, Hook) or not hasattr(Hook, point):
        return callable(own)
    return _overridden(hook, point) or (point in SHARED and _overridden(hook, SHARED[point]))


def _overridden(hook: Hook, name: str) -> bool:
    method = getattr(hook, name)
    return getattr(method, "__func__", method) is not getattr(Hook, name)
