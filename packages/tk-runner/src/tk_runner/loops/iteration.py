"""Training by iteration."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from typing import Any

from tk_registry import LOOPS, value_rules

from ..interfaces.run import RunLike
from .intervals import ValidationPlan, plan_problems
from .training import LENGTH, Changes, TrainLoop, no_batches, whole_number


@LOOPS.register_module()
@value_rules(plan_problems, max_iters=LENGTH)
class IterBasedTrainLoop(TrainLoop):
    """Trains on ``max_iters`` batches; data that ends begins again, without a pause.

    The points ``before_train_epoch`` and ``after_train_epoch`` are met once.

    Args:
        runner: the run that this loop belongs to.
        dataloader: a loader, or the config of one.
        max_iters: batches to train on.
        val_begin: the first iteration that may be followed by a validation; 0
            validates before training as well.
        val_interval: iterations from one validation to the next.
        dynamic_intervals: pairs (from this iteration on, interval).
    """

    by_epoch = False

    def __init__(
        self,
        runner: RunLike,
        dataloader: Any,
        max_iters: int,
        val_begin: int = 1,
        val_interval: int = 1000,
        dynamic_intervals: Changes | None = None,
    ) -> None:
        plan = ValidationPlan(
            begin=val_begin, interval=val_interval, changes=dynamic_intervals or ()
        )
        super().__init__(runner, dataloader, plan)
        self._max_iters = whole_number("max_iters", max_iters)

    @property
    def max_epochs(self) -> int:
        """1: the whole training counts as one epoch."""
        return 1

    def _finished(self) -> int:
        return self._iter

    def _last(self) -> int:
        return self._max_iters

    def run(self) -> Any:
        """Train until the last iteration, or until a hook sets ``stop_training``."""
        runner = self._runner
        self._begin()
        if self._iter == 0:
            runner.message_hub.open_window("epoch")
        runner.call_hook("before_train")
        runner.call_hook("before_train_epoch")
        self._bring_back_randomness()
        self._validate_if_due()
        runner.model.train()
        # Closed here: worker processes of a pass that is not read to its end are to end with the
        # run, not with the garbage collection, which waits five seconds for each of them.
        validates_at = self.plan.next_due(self._iter, self._max_iters)
        with closing(self._endless()) as batches:
            while not self._is_over():
                self.run_iter(self._iter, next(batches))
                if self._is_over():
                    self._complete_update()
                runner.stop_if_requested()
                if self._iter >= validates_at:
                    self._validate_if_due()
                    validates_at = self.plan.next_due(self._iter, self._max_iters)
        self._complete_update()  # of a training that was stopped by a validation
        if self._epoch == 0:
            self._end_epoch()
        runner.call_hook("after_train")
        return runner.model

    def _is_over(self) -> bool:
        return self._iter >= self._max_iters or self.stop_training

    def _endless(self) -> Generator[Any, None, None]:
        """Batches without end; each pass over the data has its own order."""
        while True:
            is_whole_pass = self._stands_between_epochs()
            is_empty = True
            for batch in self.dataloader.batches():
                is_empty = False
                yield batch.data
            if is_whole_pass and is_empty:
                raise no_batches("the train loader")
