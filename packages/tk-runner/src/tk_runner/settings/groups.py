"""The runner's arguments in groups that check themselves.

Each group says in words what cannot work; `gather` collects the problems of all
groups, so that a user reads every mistake at once, before a file is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from tk_registry import did_you_mean

TRAIN_KEYS = (
    "by_epoch",
    "dynamic_intervals",
    "max_epochs",
    "max_iters",
    "type",
    "val_begin",
    "val_interval",
)
EVALUATION_KEYS = ("fp16", "type")
RANDOMNESS_KEYS = ("deterministic", "diff_rank_seed", "seed")
AUTO_SCALE_KEYS = ("base_batch_size", "enable")
LAUNCHERS = ("none", "pytorch", "slurm", "mpi")


class Checked(Protocol):
    """A group of settings that can say what is wrong with it."""

    def problems(self) -> list[str]:
        """What cannot work, in words."""


def gather(groups: Iterable[Checked]) -> list[str]:
    """The problems of every group."""
    return [problem for group in groups for problem in group.problems()]


@dataclass(frozen=True, kw_only=True)
class TrainSettings:
    """What training needs."""

    dataloader: Any = None
    cfg: Mapping[str, Any] | None = None
    optim_wrapper: Any = None
    param_scheduler: Any = None
    auto_scale_lr: Mapping[str, Any] | None = None

    @property
    def is_given(self) -> bool:
        """Whether this run can train."""
        return self.dataloader is not None

    def problems(self) -> list[str]:
        """Missing partners, unknown keys, two ways to count."""
        parts = {
            "train_dataloader": self.dataloader,
            "train_cfg": self.cfg,
            "optim_wrapper": self.optim_wrapper,
        }
        found = _together(parts)
        if self.param_scheduler is not None and self.optim_wrapper is None:
            found.append("param_scheduler is given without optim_wrapper, whose options it changes")
        found += _unknown("auto_scale_lr", self.auto_scale_lr, AUTO_SCALE_KEYS)
        if isinstance(self.cfg, Mapping):
            found += self._train_cfg_problems(self.cfg)
        return found

    def _train_cfg_problems(self, cfg: Mapping[str, Any]) -> list[str]:
        if "type" in cfg:
            clash = "by_epoch" in cfg
            return ["train_cfg has both type and by_epoch; keep one of them"] if clash else []
        found = _unknown("train_cfg", cfg, TRAIN_KEYS)
        by_epoch = cfg.get("by_epoch", True)
        unit, other = ("max_epochs", "max_iters") if by_epoch else ("max_iters", "max_epochs")
        if unit not in cfg:
            found.append(f"train_cfg has by_epoch={by_epoch} without {unit}, the length to train")
        if other in cfg:
            found.append(f"train_cfg has {other}, which by_epoch={by_epoch} does not use; drop it")
        return found


@dataclass(frozen=True, kw_only=True)
class EvaluationSettings:
    """What a validation or a test needs; an empty config is meant where none is given."""

    mode: Literal["val", "test"]
    dataloader: Any = None
    cfg: Mapping[str, Any] | None = None
    evaluator: Any = None

    @property
    def is_given(self) -> bool:
        """Whether this run can evaluate in this mode."""
        return self.dataloader is not None

    def problems(self) -> list[str]:
        """Missing partners and unknown keys."""
        mode = self.mode
        parts = {f"{mode}_dataloader": self.dataloader, f"{mode}_evaluator": self.evaluator}
        found = _together(parts)
        if self.cfg is not None and self.dataloader is None:
            found.append(f"{mode}_cfg is given without {mode}_dataloader")
        if isinstance(self.cfg, Mapping) and "type" not in self.cfg:
            found += _unknown(f"{mode}_cfg", self.cfg, EVALUATION_KEYS)
        return found


@dataclass(frozen=True, kw_only=True)
class StartSettings:
    """Where the weights come from, and how the processes find each other."""

    load_from: str | None = None
    resume: Any = False  # whatever a config holds, until `problems` has looked at it
    launcher: str = "none"
    randomness: Any = None
    time_budget_s: Any = None

    @property
    def checkpoint(self) -> str | None:
        """The file to begin from, where it is named; resuming may look for one itself."""
        return self.resume if isinstance(self.resume, str) else self.load_from

    def problems(self) -> list[str]:
        """Contradictions and unknown names."""
        found = _unknown("randomness", self.randomness, RANDOMNESS_KEYS)
        if not isinstance(self.resume, (bool, str, type(None))):
            found.append(f"resume must be True, False or a path, got {self.resume!r}")
        seed = self.randomness.get("seed") if isinstance(self.randomness, Mapping) else None
        if seed is not None and (not hasattr(seed, "__index__") or isinstance(seed, bool)):
            found.append(f"randomness.seed must be a whole number or None, got {seed!r}")
        if isinstance(self.resume, str) and self.load_from is not None:
            found.append(
                "resume and load_from both name a file; keep resume to go on with a run, or "
                "load_from to begin another"
            )
        if not isinstance(self.time_budget_s, (int, float, type(None))):
            found.append(f"time_budget_s must be a number of seconds, got {self.time_budget_s!r}")
        if self.launcher not in LAUNCHERS:
            found.append(f"launcher={self.launcher!r}: {did_you_mean(self.launcher, LAUNCHERS)}")
        return found


@dataclass(frozen=True, kw_only=True)
class PlacementSettings:
    """How the model meets the hardware."""

    strategy: Any = None
    model_wrapper_cfg: Mapping[str, Any] | None = None
    sync_bn: str | None = None
    find_unused_parameters: bool = False
    compile: bool | Mapping[str, Any] = False
    activation_checkpointing: Sequence[str] | str | None = None

    def problems(self) -> list[str]:
        """Settings of the default strategy beside a strategy that does not read them."""
        if self.strategy is None:
            return []
        options = {
            "model_wrapper_cfg": self.model_wrapper_cfg is not None,
            "sync_bn": self.sync_bn is not None,
            "find_unused_parameters": self.find_unused_parameters,
        }
        return [
            f"{name} is given beside strategy, which does not read it; give it to the strategy, "
            "or drop one of the two"
            for name, is_given in options.items()
            if is_given
        ]


def _together(parts: Mapping[str, Any]) -> list[str]:
    """All of the parts, or none."""
    missing = [name for name, value in parts.items() if value is None]
    if not missing or len(missing) == len(parts):
        return []
    given = [name for name in parts if name not in missing]
    return [
        f"{' and '.join(given)} given without {' and '.join(missing)}; give all of them or none"
    ]


def _unknown(place: str, cfg: Any, known: Sequence[str]) -> list[str]:
    """Keys that nobody reads, each with the nearest one that somebody does."""
    if cfg is not None and not isinstance(cfg, Mapping):
        return [f"{place} must be a dict, got {cfg!r}"]
    origin = getattr(cfg, "__config_origin__", lambda path: None)
    found = []
    for key in cfg or ():
        if key not in known:
            where = origin(str(key))
            found.append(
                f"{f'{where}: ' if where else ''}{place}.{key}: {did_you_mean(key, known)}"
            )
    return found
