"""`Runner`: holds the parts of a run and lets them meet.

What each part does stands with the part: `assembly` builds, `loops` count,
`hooks` act, `strategy` places, `run_state` remembers, `checkpoint` writes. None
of them needs this class.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from torch import nn

from tk_config import Config
from tk_dist import get_rank, get_world_size, init_dist, is_distributed
from tk_logging import MessageHub, MMLogger
from tk_registry import RUNNERS

from .building.dataloaders import build_dataloader
from .building.evaluators import build_evaluator
from .building.hooks import register_custom_hooks, register_default_hooks, register_hook
from .building.logger import build_logger, unused_name
from .building.model import build_model
from .building.visualizer import build_visualizer
from .errors import InvalidSettingsError, NotConfiguredError, Stopped
from .hooks import Hook, HookPoints
from .hooks.points import name_the_place
from .model import BaseModule
from .model.activation_checkpointing import turn_on_activation_checkpointing
from .process.environment import EnvironmentSettings
from .process.seed import set_random_seed
from .process.stop_requests import StopRequests, describe
from .run import saving
from .run.folder_claim import training_in
from .run.loops import RunLoops
from .run.naming import claim_log_dir, name_experiment
from .run.preparation import (
    build_log_processor,
    choose_strategy,
    prepare_training,
    start_counting,
    write_down,
)
from .run.record import Measurement, RunRecord, complete
from .run.session import current, session
from .run.state import check_savable
from .settings.check import as_config, config_problems, runner_arguments
from .settings.groups import EvaluationSettings, StartSettings, TrainSettings, gather
from .visualization import Visualizer


@RUNNERS.register_module()
class Runner(RunLoops):
    """Trains, validates and tests a model.

    Every part may be an object or a config (a mapping with ``type``). Parts of a
    mode that is not used are never built: a test does not touch the training
    data. What cannot work is reported at once, before a file is written.

    Args:
        model: a module or its config; one that returns a loss is enough.
        work_dir: where checkpoints and logs of this experiment go.
        train_dataloader: data to train on; ``train_cfg`` and ``optim_wrapper`` go with it.
        val_dataloader: data to validate on, or several by name; goes with ``val_evaluator``.
        test_dataloader: data to test on, or several by name; goes with ``test_evaluator``.
        train_cfg: ``by_epoch`` with ``max_epochs`` or ``max_iters``, ``val_begin``,
            ``val_interval``, ``dynamic_intervals``; or a loop by ``type``.
        val_cfg: ``{}``, ``fp16``, or a loop by ``type``.
        test_cfg: likewise.
        auto_scale_lr: ``base_batch_size`` and ``enable``: scale learning rates to the batch.
        optim_wrapper: an optimizer, a wrapper, or a config.
        param_scheduler: one schedule or several.
        val_evaluator: metrics; an empty list reports losses alone.
        test_evaluator: likewise.
        default_hooks: changes to the default hooks by name; ``None`` leaves one out.
        custom_hooks: further hooks.
        data_preprocessor: batches to the device; goes into the model.
        load_from: weights to begin with.
        resume: ``True`` goes on from the newest whole checkpoint of ``work_dir`` (or
            from ``load_from``), a path from that file.
        launcher: ``none``, ``pytorch``, ``slurm`` or ``mpi``.
        env_cfg: ``cudnn_benchmark``, ``mp_cfg``, ``dist_cfg``, ``resource_limit``.
        log_processor: how scalars become lines.
        log_level: of the terminal and the log file.
        visualizer: where scalars, images and configs are recorded.
        default_scope: the scope that names are looked up in first.
        randomness: ``seed``, ``diff_rank_seed``, ``deterministic``.
        experiment_name: a name in front of the time stamp.
        cfg: the config that all this came from, for the record.
        strategy: how the model meets the hardware; by default one device, or
            data parallel where there are several ranks.
        model_wrapper_cfg: config of the wrapper for several ranks.
        sync_bn: ``"torch"`` lets batch norms synchronise over ranks.
        find_unused_parameters: for models that do not use every parameter each step.
        compile: ``True`` or the options of ``torch.compile``.
        activation_checkpointing: sub-modules that compute activations again in backward.
        time_budget_s: seconds after which the run saves and ends with status 75.

    Raises:
        InvalidSettingsError: settings that cannot work; the text has all problems.
    """

    def __init__(
        self,
        model: nn.Module | Mapping[str, Any],
        work_dir: str | Path,
        train_dataloader: Any = None,
        val_dataloader: Any = None,
        test_dataloader: Any = None,
        train_cfg: Mapping[str, Any] | None = None,
        val_cfg: Mapping[str, Any] | None = None,
        test_cfg: Mapping[str, Any] | None = None,
        auto_scale_lr: Mapping[str, Any] | None = None,
        optim_wrapper: Any = None,
        param_scheduler: Any = None,
        val_evaluator: Any = None,
        test_evaluator: Any = None,
        default_hooks: Mapping[str, Any] | None = None,
        custom_hooks: Sequence[Any] | None = None,
        data_preprocessor: Any = None,
        load_from: str | Path | None = None,
        resume: bool | str | Path = False,
        launcher: str = "none",
        env_cfg: Mapping[str, Any] | None = None,
        log_processor: Any = None,
        log_level: int | str = "INFO",
        visualizer: Any = None,
        default_scope: str | None = "tk",
        randomness: Mapping[str, Any] | None = None,
        experiment_name: str | None = None,
        cfg: Config | Mapping[str, Any] | None = None,
        *,
        strategy: Any = None,
        model_wrapper_cfg: Mapping[str, Any] | None = None,
        sync_bn: str | None = None,
        find_unused_parameters: bool = False,
        compile: bool | Mapping[str, Any] = False,  # noqa: A002 - the name that users know
        activation_checkpointing: Sequence[str] | str | None = None,
        time_budget_s: float | None = None,
    ) -> None:
        super().__init__()
        self.train_settings = TrainSettings(
            dataloader=train_dataloader,
            cfg=train_cfg,
            optim_wrapper=optim_wrapper,
            param_scheduler=param_scheduler,
            auto_scale_lr=auto_scale_lr,
        )
        self._val = EvaluationSettings(
            mode="val", dataloader=val_dataloader, cfg=val_cfg, evaluator=val_evaluator
        )
        self._test = EvaluationSettings(
            mode="test", dataloader=test_dataloader, cfg=test_cfg, evaluator=test_evaluator
        )
        self._start = StartSettings(
            load_from=None if load_from is None else os.fspath(load_from),
            resume=os.fspath(resume) if isinstance(resume, Path) else resume,
            launcher=launcher,
            randomness=randomness,
            time_budget_s=time_budget_s,
        )
        groups = (self.train_settings, self._val, self._test, self._start)
        if found := [*gather(groups), *EnvironmentSettings.problems_of(env_cfg or {})]:
            raise InvalidSettingsError.of(found)
        self._environment = EnvironmentSettings(**(env_cfg or {}))
        self._compile = compile
        self._recomputed = activation_checkpointing
        self.work_dir = str(work_dir)
        self.default_scope = default_scope
        self.cfg = as_config(cfg)
        self.points = HookPoints()
        self.optim_wrapper: Any = None
        self.param_schedulers: Any = []
        self._is_initialised = False
        self._has_begun = False
        self.is_resuming = False
        self.seed = self._join_the_ranks()
        self.timestamp, self.log_dir = claim_log_dir(self.work_dir)
        self.experiment_name = name_experiment(experiment_name, self.cfg.filename, self.timestamp)
        own = unused_name(self.experiment_name)
        self.logger = build_logger(own, self.log_dir, self.timestamp, log_level)
        self.message_hub = MessageHub.get_instance(own)
        self.visualizer = build_visualizer(visualizer, own, self.log_dir)
        self.stop_requests = StopRequests(Path(self.work_dir) / "STOP", time_budget_s)
        with current(self):
            self.log_processor = build_log_processor(log_processor)
            self.strategy = choose_strategy(
                strategy, model_wrapper_cfg, sync_bn, find_unused_parameters
            )
            self.model = self.strategy.place_model(build_model(model, data_preprocessor))
            register_default_hooks(self.points, default_hooks)
            register_custom_hooks(self.points, custom_hooks)
        self._finalizer = weakref.finalize(self, _forget, *self.instances)
        self.measurement = Measurement()
        self.record = RunRecord(self.log_dir, {"experiment": own, "seed": self.seed})
        write_down(self)

    @classmethod
    def from_cfg(cls, cfg: Config | Mapping[str, Any]) -> Runner:
        """A runner out of a config; every mistake in it is reported before anything is built.

        Raises:
            InvalidSettingsError: the text has all problems, each with its place.
        """
        config = as_config(cfg)
        names = runner_arguments(cls)
        if found := config_problems(config, names):
            raise InvalidSettingsError.of(found)
        return cls(**{name: config[name] for name in names if name in config}, cfg=config)

    def train(self) -> nn.Module:
        """Train, and validate between as ``train_cfg`` says; the trained model comes back.

        Called again after Ctrl-C, it goes on where it stopped.

        Raises:
            NotConfiguredError: the run was given no training part.
            Stopped: the run was asked to end; it has saved, ``code`` is the exit status.
        """
        self._require(self.train_settings.is_given, "train")
        with session(self), self._claiming_the_folder(), self._ending_workers("train", "val"):
            prepare_training(self)
            self.call_hook("before_run")
            if not self._is_initialised:
                self._is_initialised = True
                self._initialise()
            self._begin_once()
            check_savable(self)
            start_counting(self)
            self.measurement.begin(self)
            model: nn.Module = self.train_loop.run()
            self.call_hook("after_run")
        return model

    def val(self) -> dict[str, Any]:
        """Validate; the metrics come back."""
        return self._evaluate("val", self._val.is_given)

    def test(self) -> dict[str, Any]:
        """Test; the metrics come back."""
        return self._evaluate("test", self._test.is_given)

    def _evaluate(self, mode: str, is_given: bool) -> dict[str, Any]:
        self._require(is_given, mode)
        with session(self), self._ending_workers(mode):
            loop = self.val_loop if mode == "val" else self.test_loop
            self.call_hook("before_run")
            self._begin_once()
            metrics: dict[str, Any] = loop.run()
            self.call_hook("after_run")
        return metrics

    def _begin_once(self) -> None:
        """Load or resume; tried again by the next call where it failed."""
        if not self._has_begun:
            saving.begin_from(self, self._start.load_from, self._start.resume)
            self._has_begun = True

    def _claiming_the_folder(self) -> AbstractContextManager[None]:
        return training_in(Path(self.work_dir), self.logger) if self.rank == 0 else nullcontext()

    @staticmethod
    def _require(is_given: bool, mode: str) -> None:
        if not is_given:
            raise NotConfiguredError(
                f"this run has no {mode}_dataloader; give {mode}_dataloader and what belongs to it"
            )

    def _join_the_ranks(self) -> int:
        """Meet the other ranks, and agree on a seed."""
        if self._start.launcher != "none" and not is_distributed():
            init_dist(self._start.launcher, **self._environment.dist_cfg)
        self._environment.apply()
        return set_random_seed(**(self._start.randomness or {}))

    def _initialise(self) -> None:
        """Give a model its first weights, the same on every rank."""
        model = self.strategy.unwrap(self.model)
        if isinstance(model, BaseModule):
            model.init_weights()
        self.strategy.share_initial_weights(self.model)
        if self._recomputed:
            turn_on_activation_checkpointing(model, self._recomputed)
        if self._compile:
            options = self._compile if isinstance(self._compile, Mapping) else {}
            model.compile(**options)

    def close(self) -> None:
        """Close the files of the run and forget its names; the model stays usable.

        A runner that nobody holds any more is closed by itself.
        """
        self._finalizer()

    def __enter__(self) -> Runner:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @property
    def hooks(self) -> Sequence[Any]:
        """The hooks, first to run first."""
        return self.points.hooks

    @property
    def instances(self) -> tuple[Any, ...]:
        """What is found by name while this run runs."""
        return self.logger, self.message_hub, self.visualizer

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
        with current(self):
            register_hook(self.points, hook, priority)

    def get_hooks_info(self) -> str:
        """Which hooks run where, as text."""
        return self.points.describe()

    def build_dataloader(self, dataloader: Any, *, is_training: bool = False) -> Any:
        """A loader with a position, out of a config or a ready-made loader."""
        start_method = self._environment.mp_cfg.get("mp_start_method")
        return build_dataloader(
            dataloader, seed=self.seed, is_training=is_training, start_method=start_method
        )

    def build_evaluator(self, evaluator: Any) -> Any:
        """An evaluator out of metrics or configs; ``None`` out of an empty list."""
        return build_evaluator(evaluator)

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
        return saving.write(self, out_dir, filename, **content)

    def load_checkpoint(self, filename: str, **options: Any) -> dict[str, Any]:
        """Take the weights of a checkpoint; options as in `tk_runner.run.saving.load`."""
        return saving.load(self, filename, **options)

    def resume(self, filename: str, **options: Any) -> None:
        """Take everything of a checkpoint; options as in `tk_runner.run.saving.resume`."""
        saving.resume(self, filename, **options)

    def stop_if_requested(self) -> None:
        """At an iteration's boundary: end the run if somebody asked for it."""
        code = self.stop_requests.agreed_code()
        if code:
            raise Stopped(describe(code), code)

    def save_where_it_stands(self, stopped: Stopped) -> None:
        """Keep everything, since the run was asked to end; say how to go on."""
        if self.train_loop is None:
            return
        stopped.checkpoint = saving.write_here(self)
        self.logger.warning("%s; saved %s; go on with resume=True", stopped, stopped.checkpoint)

    def save_after_error(self, error: BaseException) -> None:
        """Keep what was trained when a validation fails; a step that fails has its checkpoint."""
        saving.rescue(self, error)

    def note_end(self, error: BaseException | None) -> None:
        """Complete ``run.json`` with how the run ended."""
        complete(self, error)


def _forget(logger: MMLogger, hub: MessageHub, visualizer: Visualizer) -> None:
    visualizer.close()
    visualizer.forget_instance(visualizer.instance_name)
    hub.forget_instance(hub.instance_name)
    logger.close()
