"""A run's config read before anything is built: keys, names and arguments, all mistakes at once."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tk_config import Config
from tk_registry import (
    DATA_SAMPLERS,
    DATASETS,
    FUNCTIONS,
    HOOKS,
    LOG_PROCESSORS,
    LOOPS,
    METRICS,
    MODELS,
    OPTIMIZERS,
    PARAM_SCHEDULERS,
    STRATEGIES,
    VISUALIZERS,
    DefaultScope,
    Registry,
)

REQUIRED = ("model", "work_dir")
# Keys that configs hold beside the runner's arguments; a key near one of ours is a slip.
ALSO_KNOWN = ("custom_imports", "runner_type", "tta_model", "tta_pipeline")
NEAR = 0.85


def as_config(cfg: Config | Mapping[str, Any] | None) -> Config:
    """``cfg`` itself, or a config with its entries."""
    return cfg if isinstance(cfg, Config) else Config(dict(cfg or {}))


def runner_arguments(runner: type) -> list[str]:
    """The names of the arguments that a config may give to ``runner``."""
    names = list(inspect.signature(runner).parameters)
    return [name for name in names if name != "cfg"]


def config_problems(cfg: Config, known: Collection[str]) -> list[str]:
    """Every mistake that can be found without building: each with its place and a remedy."""
    found = [
        f"the config has no {name!r}, which every run needs" for name in REQUIRED if name not in cfg
    ]
    found += _misspelt(cfg, [*known, *ALSO_KNOWN])
    with DefaultScope.overwrite_default_scope(cfg.get("default_scope")):
        for part in _components(cfg):
            found += part.problems(cfg)
    return found


def _misspelt(cfg: Config, known: Sequence[str]) -> list[str]:
    """Keys that are near one of ours which the config lacks; others are the user's variables."""
    missing = [name for name in known if name not in cfg]
    found = []
    for key in cfg:
        close = difflib.get_close_matches(str(key), missing, n=1, cutoff=NEAR)
        if key not in known and close:
            found.append(
                f"{_place(cfg, str(key))}{key}: nothing reads it; did you mean {close[0]!r}?"
            )
    return found


def _place(cfg: Config, path: str) -> str:
    origin = getattr(cfg, "__config_origin__", lambda path: None)(path)
    return f"{origin}: " if origin else ""


@dataclass(frozen=True)
class _Component:
    """A part of the config that a registry will build."""

    path: str
    value: Any
    registry: Registry[Any]
    given: tuple[str, ...] = ()

    def problems(self, cfg: Config) -> list[str]:
        found = []
        for problem in self.registry.check(self.value, given=self.given):
            path = f"{self.path}.{problem.path}" if problem.path else self.path
            place = f"{problem.origin}: " if problem.origin else _place(cfg, path)
            found.append(f"{place}{path}: {problem.message}")
        return found


def _components(cfg: Config) -> Iterator[_Component]:
    single = {
        "model": (MODELS, ()),
        "data_preprocessor": (MODELS, ()),
        "visualizer": (VISUALIZERS, ("name", "save_dir")),
        "log_processor": (LOG_PROCESSORS, ()),
        "strategy": (STRATEGIES, ()),
    }
    for key, (registry, given) in single.items():
        yield from _typed(key, cfg.get(key), registry, given)
    for mode in ("train", "val", "test"):
        yield from _loader_components(f"{mode}_dataloader", cfg.get(f"{mode}_dataloader"))
        loop_parts = ("runner", "dataloader", "evaluator")
        yield from _typed(f"{mode}_cfg", cfg.get(f"{mode}_cfg"), LOOPS, loop_parts)
        yield from _metric_components(f"{mode}_evaluator", cfg.get(f"{mode}_evaluator"))
    wrapper = cfg.get("optim_wrapper")
    if isinstance(wrapper, Mapping):
        yield from _typed("optim_wrapper.optimizer", wrapper.get("optimizer"), OPTIMIZERS)
    yield from _listed("param_scheduler", cfg.get("param_scheduler"), PARAM_SCHEDULERS)
    yield from _listed("custom_hooks", cfg.get("custom_hooks"), HOOKS, ("priority",))
    for name, hook in (cfg.get("default_hooks") or {}).items():
        yield from _typed(f"default_hooks.{name}", hook, HOOKS, ("priority",))


def _loader_components(path: str, loader: Any) -> Iterator[_Component]:
    if not isinstance(loader, Mapping):
        return
    yield from _typed(f"{path}.dataset", loader.get("dataset"), DATASETS)
    yield from _typed(f"{path}.sampler", loader.get("sampler"), DATA_SAMPLERS, ("dataset",))
    yield from _typed(f"{path}.collate_fn", loader.get("collate_fn"), FUNCTIONS)


def _metric_components(path: str, evaluator: Any) -> Iterator[_Component]:
    if isinstance(evaluator, Mapping) and "metrics" in evaluator:
        yield from _listed(f"{path}.metrics", evaluator["metrics"], METRICS)
    else:
        yield from _listed(path, evaluator, METRICS)


def _listed(
    path: str, value: Any, registry: Registry[Any], given: tuple[str, ...] = ()
) -> Iterator[_Component]:
    if isinstance(value, (list, tuple)):
        for position, entry in enumerate(value):
            yield from _typed(f"{path}.{position}", entry, registry, given)
    else:
        yield from _typed(path, value, registry, given)


def _typed(
    path: str, value: Any, registry: Registry[Any], given: tuple[str, ...] = ()
) -> Iterator[_Component]:
    if isinstance(value, Mapping) and "type" in value:
        yield _Component(path, value, registry, given)
