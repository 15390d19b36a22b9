"""The runner's arguments in groups that check themselves.

Each group says what belongs together and contradicts itself; what one value may be
stands with whatever takes the value, see `components`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from tk_registry import at_least, count, did_you_mean, value_problems, value_rules

from .default_hooks import DEFAULT_HOOKS
from .mistake import ConfigMistake

LAUNCHERS = ("none", "pytorch", "slurm", "mpi")


class Checked(Protocol):
    """A group of settings that can say what is wrong with it."""

    def problems(self) -> list[ConfigMistake]:
        """What cannot work."""


def gather(groups: Iterable[Checked]) -> list[ConfigMistake]:
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

    def problems(self) -> list[ConfigMistake]:
        """Missing partners, and two ways to count."""
        parts = {
            "train_dataloader": self.dataloader,
            "train_cfg": self.cfg,
            "optim_wrapper": self.optim_wrapper,
        }
        found = _together(parts)
        if self.param_scheduler is not None and self.optim_wrapper is None:
            text = "it is given without optim_wrapper, whose options it changes"
            found.append(ConfigMistake(text, "param_scheduler"))
        if isinstance(self.cfg, Mapping):
            found += _train_cfg_problems(self.cfg)
        return found


def _train_cfg_problems(cfg: Mapping[str, Any]) -> list[ConfigMistake]:
    if "type" in cfg:
        text = "train_cfg has both type and by_epoch; keep one of them"
        return [ConfigMistake(text, "train_cfg.by_epoch")] if "by_epoch" in cfg else []
    by_epoch = cfg.get("by_epoch", True)
    if not isinstance(by_epoch, bool):
        text = f"by_epoch must be True or False, got {by_epoch!r}"
        return [ConfigMistake(text, "train_cfg.by_epoch")]
    found = []
    unit, other = ("max_epochs", "max_iters") if by_epoch else ("max_iters", "max_epochs")
    if unit not in cfg:
        text = f"by_epoch={by_epoch} needs {unit}, the length to train"
        found.append(ConfigMistake(text, "train_cfg"))
    if other in cfg:
        text = f"by_epoch={by_epoch} does not use {other}; remove it"
        found.append(ConfigMistake(text, f"train_cfg.{other}"))
    return found


def _is_told_its_base(enable: bool, base_batch_size: Any) -> Iterator[tuple[str, str]]:
    if enable and base_batch_size is None:
        text = (
            "enable=True needs base_batch_size, the batch size that the learning rate was chosen "
            "for; give it, or set enable=False"
        )
        yield "base_batch_size", text


@value_rules(_is_told_its_base, base_batch_size=count(1))
@dataclass(frozen=True, kw_only=True)
class LearningRateScaling:
    """``auto_scale_lr``: learning rates follow the batch size."""

    enable: bool = False
    base_batch_size: int | None = None


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

    def problems(self) -> list[ConfigMistake]:
        """Missing partners."""
        mode = self.mode
        parts = {f"{mode}_dataloader": self.dataloader, f"{mode}_evaluator": self.evaluator}
        found = _together(parts)
        if self.cfg is not None and self.dataloader is None:
            found.append(ConfigMistake(f"it is given without {mode}_dataloader", f"{mode}_cfg"))
        return found


@dataclass(frozen=True, kw_only=True)
class StartSettings:
    """Where the weights come from, and how the processes find each other."""

    load_from: str | None = None
    resume: Any = False  # whatever a config holds, until `problems` has looked at it
    launcher: str = "none"
    randomness: Any = None
    time_budget_s: Any = None
    share_work_dir: bool = False

    @property
    def checkpoint(self) -> str | None:
        """The file to begin from, where it is named; resuming may look for one itself."""
        return self.resume if isinstance(self.resume, str) else self.load_from

    def problems(self) -> list[ConfigMistake]:
        """Contradictions, and values that cannot be meant."""
        found = [
            ConfigMistake(problem.message, problem.argument)
            for problem in value_problems(StartSettings, vars(self))
        ]
        if not isinstance(self.resume, (bool, str, type(None))):
            text = f"resume must be True, False or a path, got {self.resume!r}"
            found.append(ConfigMistake(text, "resume"))
        if isinstance(self.resume, str) and self.load_from is not None:
            text = (
                "resume and load_from both name a file; keep resume to go on with a run, or "
                "load_from to begin another"
            )
            found.append(ConfigMistake(text, "resume"))
        if self.launcher not in LAUNCHERS:
            text = f"no launcher is called {self.launcher!r}; "
            found.append(ConfigMistake(text + did_you_mean(self.launcher, LAUNCHERS), "launcher"))
        return found


value_rules(time_budget_s=at_least(0))(StartSettings)


@dataclass(frozen=True, kw_only=True)
class PlacementSettings:
    """How the model meets the hardware."""

    strategy: Any = None
    model_wrapper_cfg: Mapping[str, Any] | None = None
    sync_bn: str | None = None
    find_unused_parameters: bool = False
    compile: bool | Mapping[str, Any] = False
    activation_checkpointing: Sequence[str] | str | None = None

    def problems(self) -> list[ConfigMistake]:
        """Settings of the default strategy beside a strategy that does not read them."""
        options = {
            "model_wrapper_cfg": self.model_wrapper_cfg is not None,
            "sync_bn": self.sync_bn is not None,
            "find_unused_parameters": self.find_unused_parameters,
        }
        text = (
            "it is given beside strategy, which does not read it; give it to the strategy, or "
            "remove one of the two"
        )
        is_alone = self.strategy is None
        return [
            ConfigMistake(text, name) for name, given in options.items() if given and not is_alone
        ]


@dataclass(frozen=True, kw_only=True)
class HookSettings:
    """Changes to the default hooks by name, and further hooks."""

    default: Any = None
    custom: Any = None

    def problems(self) -> list[ConfigMistake]:
        """Hooks in another form than hooks are given in, and names that are none."""
        found = []
        if self.custom is not None and not isinstance(self.custom, (list, tuple)):
            kind = type(self.custom).__name__
            text = f"custom_hooks must be a list of hooks, got {kind}; put [ ] around it"
            found.append(ConfigMistake(text, "custom_hooks"))
        if isinstance(self.default, Mapping):
            return [*found, *_unknown_default_hooks(self.default)]
        if self.default is not None:
            text = (
                "default_hooks must be a dict from names to hooks, got "
                f"{type(self.default).__name__}; a list of hooks belongs into custom_hooks"
            )
            found.append(ConfigMistake(text, "default_hooks"))
        return found


def _unknown_default_hooks(hooks: Mapping[str, Any]) -> Iterator[ConfigMistake]:
    """Names of no default hook with nothing that says which hook is meant."""
    for name, hook in hooks.items():
        needs_a_name = hook is None or (isinstance(hook, Mapping) and "type" not in hook)
        if needs_a_name and name not in DEFAULT_HOOKS:
            text = f"it {'is None' if hook is None else 'has no type'}, and no default hook has "
            text += f"that name; {did_you_mean(name, DEFAULT_HOOKS)}"
            yield ConfigMistake(text, f"default_hooks.{name}")


def _together(parts: Mapping[str, Any]) -> list[ConfigMistake]:
    """All of the parts, or none."""
    missing = [name for name, value in parts.items() if value is None]
    if not missing or len(missing) == len(parts):
        return []
    given = [name for name in parts if name not in missing]
    text = f"{' and '.join(given)} given without {' and '.join(missing)}; give all of them or none"
    return [ConfigMistake(text, given[0])]
