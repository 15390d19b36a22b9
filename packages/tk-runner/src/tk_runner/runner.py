"""`Runner`: a run by the arguments that users know, and what can be done with it.

The arguments become one settings value, the settings become a `Run`; what
training and evaluation consist of stands with the modules of ``run``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from torch import nn

from tk_config import Config
from tk_registry import RUNNERS

from .errors import InvalidSettingsError
from .run import checkpointing
from .run.folder_claim import training_in
from .run.run import Run
from .run.session import session
from .run.starting_point import choose_starting_point, newest_checkpoint
from .run.state import check_savable
from .run.training import initialise_model, prepare_training, start_counting
from .settings.check import config_problems, runner_arguments
from .settings.run_settings import RunSettings, as_config


@RUNNERS.register_module()
class Runner(Run):
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
        share_work_dir: train though another training is alive in ``work_dir``.

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
        share_work_dir: bool = False,
    ) -> None:
        super().__init__(RunSettings.of(locals()))  # the settings are the arguments by their names
        self._is_initialised = False
        self._has_begun = False

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
        with (
            session(self),
            training_in(self.work_dir, self.logger, is_shared=self.settings.start.share_work_dir),
        ):
            loop = prepare_training(self)
            self.call_hook("before_run")
            if not self._is_initialised:
                self._is_initialised = True
                initialise_model(self)
            self.load_or_resume()
            check_savable(self)
            start_counting(self, loop)
            self.record.measurement.begin(self)
            model: nn.Module = loop.run()
            self.call_hook("after_run")
        return model

    def val(self) -> dict[str, Any]:
        """Validate; the metrics come back."""
        return self._evaluate("val")

    def test(self) -> dict[str, Any]:
        """Test; the metrics come back."""
        return self._evaluate("test")

    def _evaluate(self, mode: Literal["val", "test"]) -> dict[str, Any]:
        with session(self):
            loop = self.loops.evaluation(mode)
            self.call_hook("before_run")
            self.load_or_resume()
            metrics: dict[str, Any] = loop.run()
            self.call_hook("after_run")
        return metrics

    def load_or_resume(self) -> None:
        """Begin where the settings say, once; tried again by the next call where it failed."""
        if self._has_begun:
            return
        start = choose_starting_point(
            self.settings.start, lambda: newest_checkpoint(checkpointing.places(self))
        )
        if start.path is None:
            if start.continues:
                self.logger.info(
                    "there is no checkpoint in %s yet: training begins anew", self.work_dir
                )
        elif start.continues and self.train_loop is not None:
            self.resume(start.path, is_verified=start.is_verified)
        else:
            self.load_checkpoint(start.path)
        self._has_begun = True

    def __enter__(self) -> Runner:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
