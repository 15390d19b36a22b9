"""What the parts of a run see of it: the interface that hooks and loops are written against.

Whoever offers these attributes can drive them, a small stand-in in a test as
well as `tk_runner.Runner`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from torch import nn

from tk_config import Config
from tk_evaluator import Evaluator
from tk_logging import MessageHub
from tk_optim import AnyOptimWrapper

from ..data import StatefulLoader
from ..process.stop_requests import StopRequests
from ..strategy import BaseStrategy
from ..visualization import Visualizer
from .loops import EvaluationLoopLike, TrainLoopLike


class HookLike(Protocol):
    """A hook, as far as a checkpoint is concerned."""

    def state_dict(self) -> dict[str, Any]:
        """What a resumed run needs to go on."""

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Take back what ``state_dict`` gave."""


class HookPointsLike(Protocol):
    """The hooks of a run, with what each point of the run calls."""

    version: int  # another number when the hooks are others

    @property
    def hooks(self) -> Sequence[Any]:
        """The hooks, first to run first."""

    def at(self, point: str) -> tuple[Callable[..., None], ...]:
        """The methods that a point calls."""

    def acting_at(self, point: str) -> list[tuple[Any, Callable[..., None]]]:
        """Each hook that acts at a point, with what is called."""


class LogProcessorLike(Protocol):
    """Turns scalars into lines of the log."""

    def prepare(self, hub: MessageHub) -> None:
        """Let the histories of ``hub`` keep as many values as the lines need."""

    def get_log_after_iter(
        self, runner: RunLike, batch_idx: int, mode: str
    ) -> tuple[dict[str, Any], str]:
        """The scalars and the line after an iteration."""

    def get_log_after_epoch(
        self, runner: RunLike, batch_idx: int, mode: str, with_non_scalar: bool = False
    ) -> tuple[dict[str, Any], str]:
        """The metrics and the line after a validation or a test."""


class RunLike(Protocol):
    """The attributes of a run that its parts read, and the calls that they make."""

    cfg: Config
    work_dir: str
    log_dir: str
    timestamp: str
    experiment_name: str
    message_hub: MessageHub
    visualizer: Visualizer
    log_processor: LogProcessorLike
    model: nn.Module
    strategy: BaseStrategy
    stop_requests: StopRequests
    is_resuming: bool
    param_schedulers: Any  # a list of schedules, or such a list for each optimizer by name

    @property
    def logger(self) -> logging.Logger: ...

    @property
    def cfg_text(self) -> str:
        """The config as the text that a checkpoint keeps; secrets are not in it."""

    @property
    def epoch(self) -> int:
        """Epochs that are finished; 0 without a train loop."""

    @property
    def iter(self) -> int:
        """Iterations that are finished; 0 without a train loop."""

    @property
    def max_epochs(self) -> int:
        """Epochs of the whole training; 0 without a train loop."""

    @property
    def max_iters(self) -> int:
        """Iterations of the whole training; 0 without a train loop."""

    @property
    def counts_epochs(self) -> bool:
        """Whether the training is counted in epochs; True without a train loop."""

    @property
    def train_loop(self) -> TrainLoopLike | None:
        """The train loop while there is one; reading builds nothing."""

    @property
    def val_loop(self) -> EvaluationLoopLike | None:
        """The validation loop; ``None`` where none is configured."""

    @property
    def test_loop(self) -> EvaluationLoopLike | None:
        """The test loop; ``None`` where none is configured."""

    @property
    def train_dataloader(self) -> Any:
        """The loader of the train loop, or whatever it will be built from."""

    @property
    def val_dataloader(self) -> Any:
        """The loader of the validation loop, or whatever it will be built from."""

    @property
    def test_dataloader(self) -> Any:
        """The loader of the test loop, or whatever it will be built from."""

    @property
    def optim_wrapper(self) -> AnyOptimWrapper | None:
        """The optimizer wrapper; ``None`` before a training."""

    @property
    def points(self) -> HookPointsLike:
        """The hooks, with what each point calls."""

    @property
    def hooks(self) -> Sequence[HookLike]:
        """The hooks, first to run first."""

    @property
    def rank(self) -> int: ...

    @property
    def world_size(self) -> int: ...

    @property
    def seed(self) -> int: ...

    def call_hook(self, fn_name: str, **kwargs: Any) -> None:
        """Call one point of every hook that acts there, in order of priority."""

    def build_dataloader(self, dataloader: Any, *, is_training: bool = False) -> StatefulLoader:
        """A loader whose position can be saved, out of a config or a ready-made loader."""

    def build_evaluator(self, evaluator: Any) -> Evaluator | None:
        """An evaluator out of metrics or configs; ``None`` out of an empty list."""

    def save_checkpoint(self, out_dir: str, filename: str, **content: Any) -> str:
        """Write everything that a resumed run needs; the path comes back."""

    def stop_if_requested(self) -> None:
        """At an iteration's boundary: end the run if somebody asked for it."""

    def wait_for_ranks(self) -> None:
        """After the batches of an evaluation: wait until no rank has batches left."""
