"""Training by epoch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tk_dist import all_gather_object
from tk_registry import LOOPS, value_rules

from ..errors import InvalidSettingsError
from ..interfaces.run import RunLike
from .intervals import ValidationPlan, plan_problems
from .training import LENGTH, Changes, TrainLoop, no_batches, whole_number


@LOOPS.register_module()
@value_rules(plan_problems, max_epochs=LENGTH)
class EpochBasedTrainLoop(TrainLoop):
    """Passes ``max_epochs`` times over the data.

    Args:
        runner: the run that this loop belongs to.
        dataloader: a loader, or the config of one; it needs a length.
        max_epochs: passes over the data.
        val_begin: the first epoch that is followed by a validation; 0 validates
            before training as well.
        val_interval: epochs from one validation to the next.
        dynamic_intervals: pairs (from this epoch on, interval).
    """

    by_epoch = True

    def __init__(
        self,
        runner: RunLike,
        dataloader: Any,
        max_epochs: int,
        val_begin: int = 1,
        val_interval: int = 1,
        dynamic_intervals: Changes | None = None,
    ) -> None:
        plan = ValidationPlan(
            begin=val_begin, interval=val_interval, changes=dynamic_intervals or ()
        )
        super().__init__(runner, dataloader, plan)
        self._max_epochs = whole_number("max_epochs", max_epochs)
        self._max_iters = self._max_epochs * _epoch_length(self.dataloader)

    @property
    def max_epochs(self) -> int:
        """Epochs of the whole training."""
        return self._max_epochs

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from ``state``; epochs that are left may have another length than those before."""
        super().load_state_dict(state)
        left = (self._max_epochs - self._epoch) * _epoch_length(self.dataloader)
        self._max_iters = max(self._iter + left - self.dataloader.position.batches, self._iter)

    def _finished(self) -> int:
        return self._epoch

    def _last(self) -> int:
        return self._max_epochs

    def run(self) -> Any:
        """Train until the last epoch, or until a hook sets ``stop_training``."""
        self._begin()
        self._runner.call_hook("before_train")
        if self._stands_between_epochs():
            self._bring_back_randomness()
            self._validate_if_due()
        while self._epoch < self._max_epochs and not self.stop_training:
            self.run_epoch()
            self._validate_if_due()
        self._complete_update()  # of a training that was stopped after an epoch
        self._runner.call_hook("after_train")
        return self._runner.model

    def run_epoch(self) -> None:
        """Train on what is left of the running epoch."""
        if self._stands_between_epochs():
            self._runner.message_hub.open_window("epoch")
        self._runner.call_hook("before_train_epoch")
        self._runner.model.train()
        start = self.dataloader.position.batches
        self._bring_back_randomness()
        for idx, batch in enumerate(self.dataloader.batches(), start):
            self.run_iter(idx, batch.data)
            self._runner.stop_if_requested()
        if self._epoch + 1 == self._max_epochs or self.stop_training:
            self._complete_update()
        self._end_epoch()


def _epoch_length(dataloader: Any) -> int:
    try:
        length = len(dataloader)
    except TypeError as error:
        raise InvalidSettingsError(
            f"training by epoch needs data with a length ({error}); give the dataset a __len__, "
            "or train by iteration: train_cfg=dict(by_epoch=False, max_iters=...)"
        ) from error
    lengths = all_gather_object(length)
    if len(set(lengths)) > 1:
        raise InvalidSettingsError(
            f"the ranks have {', '.join(map(str, lengths))} batches in an epoch, and the ones with "
            "more would wait for ever for the others; let the sampler or the dataset give every "
            "rank equally many, as DefaultSampler does with round_up=True, or train by iteration"
        )
    if length == 0:
        raise no_batches("the train loader")
    return length
