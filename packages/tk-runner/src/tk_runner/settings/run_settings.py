"""Everything that one run is configured with, as one value.

The arguments of `Runner`, the keys of a config and ``tk-runner check`` all become
a `RunSettings`, so what belongs together is said once: in `RunSettings.problems`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from tk_config import Config
from tk_registry import Rule, value_problems, value_rules

from ..process.environment import EnvironmentSettings
from .groups import (
    EvaluationSettings,
    HookSettings,
    PlacementSettings,
    StartSettings,
    TrainSettings,
    gather,
)
from .mistake import ConfigMistake

Mode = Literal["train", "val", "test"]
MODES: tuple[Mode, ...] = ("train", "val", "test")


@dataclass(frozen=True, kw_only=True)
class RunSettings:
    """The settings of a run; parts are objects or configs, and nothing is built yet."""

    model: Any
    work_dir: str
    train: TrainSettings = field(default_factory=TrainSettings)
    val: EvaluationSettings = field(default_factory=lambda: EvaluationSettings(mode="val"))
    test: EvaluationSettings = field(default_factory=lambda: EvaluationSettings(mode="test"))
    start: StartSettings = field(default_factory=StartSettings)
    placement: PlacementSettings = field(default_factory=PlacementSettings)
    data_preprocessor: Any = None
    loss: Any = None
    hooks: HookSettings = field(default_factory=HookSettings)
    env_cfg: Any = None
    log_processor: Any = None
    log_level: int | str = "INFO"
    visualizer: Any = None
    default_scope: str | None = "tk"
    experiment_name: str | None = None
    cfg: Config = field(default_factory=Config)

    @classmethod
    def of(cls, arguments: Mapping[str, Any]) -> RunSettings:
        """The settings out of the arguments of `Runner`, by their names.

        An argument that is missing has its default; further entries are left alone,
        so that a whole config may be given.
        """
        work_dir = arguments.get("work_dir")
        return cls(
            model=arguments.get("model"),
            work_dir="" if work_dir is None else str(work_dir),
            train=TrainSettings(
                dataloader=arguments.get("train_dataloader"),
                cfg=arguments.get("train_cfg"),
                optim_wrapper=arguments.get("optim_wrapper"),
                param_scheduler=arguments.get("param_scheduler"),
                auto_scale_lr=arguments.get("auto_scale_lr"),
            ),
            val=_evaluation("val", arguments),
            test=_evaluation("test", arguments),
            start=StartSettings(
                load_from=_path(arguments.get("load_from")),
                resume=_path(arguments.get("resume")) or False,
                launcher=arguments.get("launcher") or "none",
                randomness=arguments.get("randomness"),
                time_budget_s=arguments.get("time_budget_s"),
                share_work_dir=arguments.get("share_work_dir") or False,
            ),
            placement=PlacementSettings(
                strategy=arguments.get("strategy"),
                model_wrapper_cfg=arguments.get("model_wrapper_cfg"),
                sync_bn=arguments.get("sync_bn"),
                find_unused_parameters=arguments.get("find_unused_parameters") or False,
                compile=arguments.get("compile") or False,
                activation_checkpointing=arguments.get("activation_checkpointing"),
            ),
            hooks=HookSettings(
                default=arguments.get("default_hooks"), custom=arguments.get("custom_hooks")
            ),
            cfg=as_config(arguments.get("cfg")),
            **{name: arguments[name] for name in PASSED_ON if name in arguments},
        )

    def problems(self) -> list[ConfigMistake]:
        """What is missing, contradicts itself or is of a wrong kind; see also `components`."""
        found = [
            ConfigMistake(f"the config has no {name!r}, which every run needs")
            for name, value in (("model", self.model), ("work_dir", self.work_dir or None))
            if value is None
        ]
        mappings = {
            "auto_scale_lr": self.train.auto_scale_lr,
            "env_cfg": self.env_cfg,
            "model_wrapper_cfg": self.placement.model_wrapper_cfg,
            "randomness": self.start.randomness,
        }
        found += [
            ConfigMistake(f"{name} must be a dict, got {value!r}", name)
            for name, value in mappings.items()
            if not isinstance(value, (Mapping, type(None)))
        ]
        found += [
            ConfigMistake(problem.message, problem.argument)
            for problem in value_problems(RunSettings, {"log_level": self.log_level})
        ]
        groups = (self.train, self.val, self.test, self.start, self.placement, self.hooks)
        return [*found, *gather(groups)]

    def dataloader(self, mode: Mode) -> Any:
        """What was given as the loader of a mode."""
        if mode == "train":
            return self.train.dataloader
        return (self.val if mode == "val" else self.test).dataloader

    @property
    def environment(self) -> EnvironmentSettings:
        """What the run asks of its process; only where there are no problems."""
        return EnvironmentSettings(**(self.env_cfg or {}))


LOG_LEVELS = ("DEBUG", "INFO", "WARNING", "WARN", "ERROR", "CRITICAL", "FATAL", "NOTSET")
value_rules(
    log_level=Rule(
        "a number, or one of DEBUG, INFO, WARNING, ERROR and CRITICAL",
        lambda value: (
            isinstance(value, int) or (isinstance(value, str) and value.upper() in LOG_LEVELS)
        ),
    )
)(RunSettings)

# Arguments that are one setting each, under the same name.
PASSED_ON = (
    "data_preprocessor",
    "loss",
    "env_cfg",
    "log_processor",
    "log_level",
    "visualizer",
    "default_scope",
    "experiment_name",
)


def _evaluation(mode: Any, arguments: Mapping[str, Any]) -> EvaluationSettings:
    return EvaluationSettings(
        mode=mode,
        dataloader=arguments.get(f"{mode}_dataloader"),
        cfg=arguments.get(f"{mode}_cfg"),
        evaluator=arguments.get(f"{mode}_evaluator"),
    )


def _path(value: Any) -> Any:
    return os.fspath(value) if isinstance(value, Path) else value


def as_config(cfg: Config | Mapping[str, Any] | None) -> Config:
    """``cfg`` itself, or a config with its entries."""
    return cfg if isinstance(cfg, Config) else Config(dict(cfg or {}))
