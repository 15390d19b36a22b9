"""What the two train loops share: counters, validation between, a state that resumes exactly.

A loop counts what is finished. Hooks of the points ``after_train_iter`` and
``after_train_epoch`` see the counters before they are raised, as users of these
points expect; the state that a checkpoint keeps counts the unit as done.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tk_registry import Rule

from ..errors import InvalidSettingsError
from ..hooks.iteration_plan import IterationPlan
from ..hooks.points import name_the_place
from ..interfaces.run import RunLike
from ..process.seed import capture_random_state
from .intervals import ValidationPlan
from .loop import BaseLoop


class TrainLoop(BaseLoop):
    """Trains, validates where the plan says so, and knows where it stands."""

    def __init__(self, runner: RunLike, dataloader: Any, plan: ValidationPlan) -> None:
        super().__init__(runner, dataloader, is_training=True)
        if found := plan.problems():
            raise InvalidSettingsError.of(found)
        self.plan = plan
        self.stop_training = False
        self._epoch = 0
        self._iter = 0
        self._max_iters = 0
        self._hook_plan = IterationPlan(runner.points)
        self._closing_iter = False
        self._closing_epoch = False
        self._validated = -1
        self._restore_randomness: Callable[[], None] | None = None
        self._is_validating = False
        self._random_before_validation: dict[str, Any] = {}

    @property
    def epoch(self) -> int:
        """Epochs that are finished."""
        return self._epoch

    @property
    def iter(self) -> int:
        """Iterations that are finished."""
        return self._iter

    @property
    def is_validating(self) -> bool:
        """Whether a validation has begun and did not come to its end."""
        return self._is_validating

    @property
    def val_begin(self) -> int:
        """The first unit that is followed by a validation."""
        return self.plan.begin

    @property
    def val_interval(self) -> int:
        """Units from one validation to the next, as it holds now."""
        return self.plan.interval_at(self._finished())

    @property
    def max_iters(self) -> int:
        """Iterations of the whole training."""
        return self._max_iters

    def _finished(self) -> int:
        """Finished units (epochs or iterations) as the validation plan counts them."""
        raise NotImplementedError

    def _last(self) -> int:
        """All units of this training."""
        raise NotImplementedError

    def _begin(self) -> None:
        """Go on behind what an earlier call of ``run`` trained on before it broke off."""
        self._iter += self._closing_iter
        self._epoch += self._closing_epoch
        self._closing_iter = self._closing_epoch = self._is_validating = False
        self._hook_plan = IterationPlan(self._runner.points)
        self.dataloader.continue_epoch()

    def run_iter(self, idx: int, data_batch: Any) -> None:
        """Train on one batch."""
        runner = self._runner
        model: Any = runner.model  # with the steps of a BaseModel, which training looked for
        before, after = self._hook_plan.calls(runner, self._iter, idx)
        if not model.training:  # a hook evaluated, and left it so
            model.train()
        for call in before:
            try:
                call(runner, batch_idx=idx, data_batch=data_batch)
            except Exception as error:
                name_the_place(error, call, "before_train_iter")
                raise
        outputs = model.train_step(data_batch, optim_wrapper=runner.optim_wrapper)
        self._closing_iter = True
        if self._iter + 1 == self._max_iters:
            self._complete_update()
        for call in after:
            try:
                call(runner, batch_idx=idx, data_batch=data_batch, outputs=outputs)
            except Exception as error:
                name_the_place(error, call, "after_train_iter")
                raise
        self._closing_iter = False
        self._iter += 1

    def _complete_update(self) -> None:
        """Update with the gradients of an accumulation group that no more batch will complete."""
        if self._runner.optim_wrapper is not None:
            self._runner.optim_wrapper.finish_group()

    def _validate_if_due(self) -> None:
        finished = self._finished()
        if finished == self._validated or not self.plan.is_due(finished, self._last()):
            return
        if self._runner.val_loop is not None:
            self._random_before_validation = capture_random_state()
            self._is_validating = True
            self._runner.val_loop.run()
            self._is_validating = False
        self._validated = finished

    def state_dict(self) -> dict[str, Any]:
        """Where the loop stands: finished epochs and iterations, and the loader's position."""
        return {
            "epoch": self._epoch + self._closing_epoch,
            "iter": self._iter + self._closing_iter,
            "validated": self._validated_so_far(),
            "loader": self.dataloader.state_dict(),
        }

    def _validated_so_far(self) -> int:
        """The unit whose validation is known in full, counting one whose hooks still run."""
        val_loop = self._runner.val_loop
        if self._is_validating and val_loop is not None and val_loop.is_complete:
            return self._finished()
        return self._validated

    @property
    def random_state(self) -> dict[str, Any]:
        """What a resumed run must draw from: a validation that is not through begins again."""
        unfinished = self._is_validating and self._validated_so_far() != self._finished()
        return self._random_before_validation if unfinished else capture_random_state()

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from ``state``."""
        self._epoch = int(state["epoch"])
        self._iter = int(state["iter"])
        self._validated = int(state.get("validated", self._finished()))
        if state.get("loader"):
            self.dataloader.load_state_dict(state["loader"])

    def restore_randomness(self, restore: Callable[[], None]) -> None:
        """Call ``restore`` right before the next random number is drawn."""
        self._restore_randomness = restore

    def _end_epoch(self) -> None:
        self._closing_epoch = True
        self._runner.call_hook("after_train_epoch")
        self._closing_epoch = False
        self._epoch += 1

    def _stands_between_epochs(self) -> bool:
        """Whether no batch of the loader's running epoch was trained on yet."""
        return bool(self.dataloader.position.batches == 0)

    def _bring_back_randomness(self) -> None:
        if self._restore_randomness is not None:
            self._restore_randomness()
            self._restore_randomness = None


def no_batches(what: str) -> InvalidSettingsError:
    """Data that gives nothing to train on."""
    return InvalidSettingsError(
        f"{what} gives no batch: its dataset is smaller than one batch while drop_last is set, "
        "or an iterable one that yields nothing; lower batch_size, leave drop_last out, or "
        "look at what it yields"
    )


LENGTH = Rule(
    "a whole number, 0 or more",
    lambda value: (
        isinstance(value, (int, float))
        and not isinstance(value, bool)
        and value % 1 == 0
        and value >= 0
    ),
)


def whole_number(name: str, value: Any) -> int:
    """``value`` as an int, or an error that names the setting."""
    if not LENGTH.fits(value):
        raise InvalidSettingsError(f"{name} must be {LENGTH.expected}, got {value!r}")
    return int(value)


Changes = Sequence[tuple[int, int]]
