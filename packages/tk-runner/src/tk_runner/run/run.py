"""`Run`: the parts of one run, and what hooks and loops ask of it.

Built from settings alone. A part knows no other part and not this class: what
several of them do together is in the modules beside this one, `session`,
`training`, `checkpointing` and `record`.
"""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tk_dist import get_rank, get_world_size, init_dist, is_distributed
from tk_evaluator import Evaluator
from tk_logging import MessageHub
from tk_optim import AnyOptimWrapper
from tk_registry import DefaultScope

from ..building.dataloaders import build_dataloader
from ..building.evaluators import build_evaluator
from ..building.hooks import register_custom_hooks, register_default_hooks, register_hook
from ..building.log_processor import build_log_processor
from ..building.logger import build_logger, unused_name
from ..building.model import build_model
from ..building.strategy import build_strategy
from ..building.visualizer import build_visualizer
from ..data import StatefulLoader
from ..errors import InvalidSettingsError, Stopped
from ..hooks import Hook, HookPoints
from ..hooks.points import name_the_place
from ..interfaces.loops import EvaluationLoopLike, TrainLoopLike
from ..process.seed import set_random_seed
from ..process.stop_requests import StopRequests, describe
from ..settings.check import settings_problems, settings_without_effect
from ..settings.run_settings import RunSettings
from . import checkpointing
from .current import CurrentInstances
from .loops import Loops
from .naming import claim_log_dir, name_experiment
from .record import RunRecord, write_config


class Run:
    """One run: its names, its model, its loops, its hooks.

    Args:
        settings: what the run is made from.

    Raises:
        InvalidSettingsError: settings that cannot work; the text has all problems.
    """

    def __init__(self, settings: RunSettings) -> None:
        if found := settings_problems(settings):
            raise InvalidSettingsError.of(found)
        self.settings = settings
        self.cfg = settings.cfg
        self.work_dir = settings.work_dir
        self.default_scope = settings.default_scope
        self.seed = _join_the_ranks(settings)
        self.timestamp, self.log_dir = claim_log_dir(self.work_dir)
        self.experiment_name = name_experiment(
            settings.experiment_name, self.cfg.filename, self.timestamp
        )
        name = unused_name(self.experiment_name)
        self.logger = build_logger(name, self.log_dir, self.timestamp, settings.log_level)
        self.message_hub = MessageHub.get_instance(name)
        with DefaultScope.overwrite_default_scope(settings.default_scope):
            self.visualizer = build_visualizer(settings.visualizer, name, self.log_dir)
        self.instances = CurrentInstances(
            self.logger, self.message_hub, self.visualizer, settings.default_scope
        )
        self.stop_requests = StopRequests(
            Path(self.work_dir) / "STOP", settings.start.time_budget_s
        )
        self.points = HookPoints()
        self.loops = Loops(settings, self, self.instances)
        self.optim_wrapper: AnyOptimWrapper | None = None
        self.param_schedulers: Any = []
        self.is_resuming = False
        with self.instances.as_current():
            self.log_processor = build_log_processor(settings.log_processor)
            self.strategy = build_strategy(settings.placement)
            self.model = self.strategy.place_model(
                build_model(settings.model, settings.data_preprocessor)
            )
            register_default_hooks(self.points, settings.hooks.default)
            register_custom_hooks(self.points, settings.hooks.custom)
        for sentence in settings_without_effect(
            settings, world_size=self.world_size, runner=type(self).__name__
        ):
            self.logger.warning("%s", sentence)
        self._finalizer = weakref.finalize(self, self.instances.close)
        self.record = RunRecord(self.log_dir, {"experiment": name, "seed": self.seed})
        if self.rank == 0:
            self.record.write(
                work_dir=self.work_dir, world_size=self.world_size, config=self.cfg_text
            )
        write_config(self)

    def close(self) -> None:
        """Close the files of the run and forget its names; the model stays usable.

        A run that nobody holds any more is closed by itself.
        """
        self._finalizer()

    # ---- where it stands

    @property
    def epoch(self) -> int:
        """Epochs that are finished; 0 without a train loop."""
        return self.loops.train.epoch if self.loops.train is not None else 0

    @property
    def iter(self) -> int:
        """Iterations that are finished; 0 without a train loop."""
        return self.loops.train.iter if self.loops.train is not None else 0

    @property
    def max_epochs(self) -> int:
        """Epochs of the whole training; 0 without a train loop."""
        return self.loops.train.max_epochs if self.loops.train is not None else 0

    @property
    def max_iters(self) -> int:
        """Iterations of the whole training; 0 without a train loop."""
        return self.loops.train.max_iters if self.loops.train is not None else 0

    @property
    def counts_epochs(self) -> bool:
        """Whether the training is counted in epochs; True without a train loop."""
        return self.loops.train is None or self.loops.train.by_epoch

    @property
    def rank(self) -> int:
        """This process among all."""
        return get_rank()

    @property
    def world_size(self) -> int:
        """All processes of the run."""
        return get_world_size()

    @property
    def cfg_text(self) -> str:
        """The config as the text that a checkpoint keeps; secrets are not in it."""
        return self.cfg.pretty_text if self.cfg else ""

    # ---- loops and their data

    @property
    def train_loop(self) -> TrainLoopLike | None:
        """The train loop while there is one; reading builds nothing."""
        return self.loops.train

    @property
    def val_loop(self) -> EvaluationLoopLike | None:
        """The validation loop, built at first use; ``None`` where none is configured."""
        return self.loops.val

    @property
    def test_loop(self) -> EvaluationLoopLike | None:
        """The test loop, built at first use; ``None`` where none is configured."""
        return self.loops.test

    @property
    def train_dataloader(self) -> Any:
        """The loader of the train loop, or what it will be built from."""
        return self.loops.dataloader("train")

    @property
    def val_dataloader(self) -> Any:
        """The loader of the validation loop, or what it will be built from."""
        return self.loops.dataloader("val")

    @property
    def test_dataloader(self) -> Any:
        """The loader of the test loop, or what it will be built from."""
        return self.loops.dataloader("test")

    def build_dataloader(self, dataloader: Any, *, is_training: bool = False) -> StatefulLoader:
        """A loader with a position, out of a config or a ready-made loader."""
        start_method = self.settings.environment.mp_cfg.get("mp_start_method")
        return build_dataloader(
            dataloader, seed=self.seed, is_training=is_training, start_method=start_method
        )

    def build_evaluator(self, evaluator: Any) -> Evaluator | None:
        """An evaluator out of metrics or configs; ``None`` out of an empty list."""
        return build_evaluator(evaluator)

    # ---- hooks

    @property
    def hooks(self) -> Sequence[Hook]:
        """The hooks, first to run first."""
        return self.points.hooks

    def call_hook(self, fn_name: str, **kwargs: Any) -> None:
        """Call one point of every hook that acts there, in order of priority.

        An error names the hook and the point.
        """
        for method in self.points.at(fn_name):
            try:
                method(self, **kwargs)
            except Exception as error:
                name_the_place(error, method, fn_name)
                raise

    def register_hook(self, hook: Hook | Mapping[str, Any], priority: Any = None) -> None:
        """Add a hook or the config of one."""
        with self.instances.as_current():
            register_hook(self.points, hook, priority)

    def get_hooks_info(self) -> str:
        """Which hooks run where, as text."""
        return self.points.describe()

    # ---- checkpoints and stops

    def save_checkpoint(self, out_dir: str, filename: str, **content: Any) -> str:
        """Write everything that a resumed run needs; every rank must call.

        Args:
            out_dir: folder or URI.
            filename: name in it.
            content: ``save_optimizer``, ``save_param_scheduler``, ``meta``: see
                `tk_runner.run.state.collect_state`.

        Returns:
            The path of the file.
        """
        return checkpointing.save(self, out_dir, filename, **content)

    def load_checkpoint(self, filename: str, **options: Any) -> dict[str, Any]:
        """Take the weights of a checkpoint; options as in `tk_runner.run.checkpointing.load`."""
        return checkpointing.load(self, filename, **options)

    def resume(self, filename: str, **options: Any) -> None:
        """Take everything of a checkpoint; options as in `tk_runner.run.checkpointing.resume`."""
        checkpointing.resume(self, filename, **options)

    def stop_if_requested(self) -> None:
        """At an iteration's boundary: end the run if somebody asked for it."""
        code = self.stop_requests.agreed_code()
        if code:
            raise Stopped(describe(code), code)

    def wait_for_ranks(self) -> None:
        """After the batches of an evaluation: look on until no rank has batches left.

        Ranks may have different numbers of them, and every rank must look equally often.
        """
        self._look(is_done=True)
        while True:  # what a look tells is about the one before it
            self._look(is_done=True)
            if self.stop_requests.all_ranks_are_done:
                return

    def _look(self, *, is_done: bool = False) -> None:
        code = self.stop_requests.agreed_code(is_done=is_done)
        if code:
            raise Stopped(describe(code), code)


def _join_the_ranks(settings: RunSettings) -> int:
    """Meet the other ranks, and agree on a seed."""
    environment = settings.environment
    if settings.start.launcher != "none" and not is_distributed():
        init_dist(settings.start.launcher, **environment.dist_cfg)
    environment.apply()
    return set_random_seed(**(settings.start.randomness or {}))
