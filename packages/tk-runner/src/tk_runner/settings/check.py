"""A run's config read before anything is built: keys, names and arguments, all mistakes at once."""

from __future__ import annotations

import inspect
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from torch.utils.data import DataLoader

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
    OPTIM_WRAPPER_CONSTRUCTORS,
    OPTIM_WRAPPERS,
    OPTIMIZERS,
    PARAM_SCHEDULERS,
    STRATEGIES,
    VISBACKENDS,
    VISUALIZERS,
    DefaultScope,
    Registry,
    did_you_mean,
)

from ..data import StatefulDataLoader
from .dataloader import OWN_KEYS, loader_problems
from .optim_wrapper import problem_of_wrapper
from .run_settings import RunSettings

# Keys that configs hold beside the runner's arguments; a key near one of ours is a slip.
ALSO_KNOWN = ("custom_imports", "runner_type", "tta_model", "tta_pipeline")
LOADER_KEYS = (*OWN_KEYS, "num_batch_per_epoch", "disable_subprocess_warning")
# What the builder of an optimizer wrapper takes out before it builds the wrapper.
WRAPPER_KEYS = ("optimizer", "constructor", "paramwise_cfg")
NEAR = 0.85


@dataclass(frozen=True)
class ConfigMistake:
    """Something in a config that cannot work, where it stands, and how to mend it."""

    message: str
    path: str = ""
    origin: str | None = None

    def __str__(self) -> str:
        return ": ".join(part for part in (self.origin, self.path, self.message) if part)


def runner_arguments(runner: type) -> list[str]:
    """The names of the arguments that a config may give to ``runner``."""
    names = list(inspect.signature(runner).parameters)
    return [name for name in names if name != "cfg"]


def config_problems(cfg: Config, known: Collection[str]) -> list[ConfigMistake]:
    """Every mistake that can be found without building.

    Args:
        cfg: the config.
        known: the arguments of the runner, see `runner_arguments`.
    """
    found = _misspelt(cfg, [*known, *ALSO_KNOWN])
    found += [ConfigMistake(text) for text in RunSettings.of(dict(cfg)).problems()]
    with DefaultScope.overwrite_default_scope(cfg.get("default_scope")):
        for part in _components(cfg):
            found += part.problems(cfg)
    return [*found, *_wrapper_problems(cfg), *_loader_problems(cfg)]


def _misspelt(cfg: Config, known: Sequence[str]) -> list[ConfigMistake]:
    """Keys that are near one of ours which the config lacks; others are the user's variables."""
    missing = [name for name in known if name not in cfg]
    found = []
    for key in cfg:
        hint = did_you_mean(key, missing, "", cutoff=NEAR)
        if key not in known and hint:
            text = f"nothing reads it; {hint}"
            found.append(ConfigMistake(text, str(key), _origin(cfg, str(key))))
    return found


def _origin(cfg: Config, path: str) -> str | None:
    return cfg.__config_origin__(path)


def _wrapper_problems(cfg: Config) -> list[ConfigMistake]:
    """An optimizer that stands where its wrapper should."""
    wrapper = cfg.get("optim_wrapper")
    text = problem_of_wrapper(wrapper) if isinstance(wrapper, Mapping) else None
    return [ConfigMistake(text, origin=_origin(cfg, "optim_wrapper"))] if text else []


def _loader_problems(cfg: Config) -> list[ConfigMistake]:
    """Arguments that no loader takes, and loaders without data."""
    known = {
        *LOADER_KEYS,
        *inspect.signature(DataLoader).parameters,
        *inspect.signature(StatefulDataLoader).parameters,
    }
    found = []
    for path, loader in _loaders(cfg):
        if "dataset" not in loader:
            text = "a dataloader needs a 'dataset': a dataset or the config of one"
            found.append(ConfigMistake(text, path, _origin(cfg, path)))
        for key in loader:
            if key not in known:
                at = f"{path}.{key}"
                text = f"no loader takes it; {did_you_mean(key, known)}"
                found.append(ConfigMistake(text, at, _origin(cfg, at)))
        for argument, text in loader_problems(loader):
            at = f"{path}.{argument}"
            found.append(ConfigMistake(text, at, _origin(cfg, at)))
    return found


@dataclass(frozen=True)
class _Component:
    """A part of the config that a registry will build."""

    path: str
    value: Any
    registry: Registry[Any]
    given: tuple[str, ...] = ()

    def problems(self, cfg: Config) -> list[ConfigMistake]:
        found = []
        for problem in self.registry.check(self.value, given=self.given):
            path = f"{self.path}.{problem.path}" if problem.path else self.path
            origin = problem.origin or _origin(cfg, path)
            found.append(ConfigMistake(problem.message, path, origin))
        return found


def _components(cfg: Config) -> Iterator[_Component]:
    yield from _built("model", cfg.get("model"), MODELS)
    preprocessor = cfg.get("data_preprocessor")
    if isinstance(preprocessor, Mapping) and "type" in preprocessor:
        yield from _built("data_preprocessor", preprocessor, MODELS)
    yield from _visualizer_components(cfg.get("visualizer"))
    yield from _typed("log_processor", cfg.get("log_processor"), LOG_PROCESSORS)
    yield from _typed("strategy", cfg.get("strategy"), STRATEGIES)
    for path, loader in _loaders(cfg):
        yield from _built(f"{path}.dataset", loader.get("dataset"), DATASETS)
        yield from _typed(f"{path}.sampler", loader.get("sampler"), DATA_SAMPLERS, ("dataset",))
        parts = ("sampler", "batch_size")
        yield from _typed(
            f"{path}.batch_sampler", loader.get("batch_sampler"), DATA_SAMPLERS, parts
        )
        yield from _typed(f"{path}.collate_fn", loader.get("collate_fn"), FUNCTIONS)
    for mode in ("train", "val", "test"):
        loop_parts = ("runner", "dataloader", "evaluator")
        yield from _typed(f"{mode}_cfg", cfg.get(f"{mode}_cfg"), LOOPS, loop_parts)
    for mode in ("val", "test"):
        yield from _metric_components(f"{mode}_evaluator", cfg.get(f"{mode}_evaluator"))
    yield from _wrapper_components(cfg.get("optim_wrapper"))
    yield from _listed("param_scheduler", cfg.get("param_scheduler"), PARAM_SCHEDULERS, ("end",))
    for position, hook in enumerate(cfg.get("custom_hooks") or ()):
        yield from _built(f"custom_hooks.{position}", _without("priority", hook), HOOKS)
    for name, hook in (cfg.get("default_hooks") or {}).items():
        yield from _built(f"default_hooks.{name}", _without("priority", hook), HOOKS)


def _loaders(cfg: Config) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every loader that is a config, also where one key holds several by name."""
    for mode in ("train", "val", "test"):
        path = f"{mode}_dataloader"
        loader = cfg.get(path)
        if not isinstance(loader, Mapping):
            continue
        inner = [one for one in loader.values() if isinstance(one, Mapping) and "dataset" in one]
        if inner and "dataset" not in loader:
            for name, one in loader.items():
                if isinstance(one, Mapping):
                    yield f"{path}.{name}", one
        else:
            yield path, loader


def _visualizer_components(visualizer: Any) -> Iterator[_Component]:
    own = _without("vis_backends", visualizer)
    yield from _typed("visualizer", own, VISUALIZERS, ("name", "save_dir"))
    backends = visualizer.get("vis_backends") if isinstance(visualizer, Mapping) else None
    if isinstance(backends, (list, tuple)):
        for position, backend in enumerate(backends):
            path = f"visualizer.vis_backends.{position}"
            yield from _built(path, _without("name", backend), VISBACKENDS, ("save_dir",))


def _without(key: str, value: Any) -> Any:
    """A mapping less what its user takes out before building; anything else as it is."""
    if not isinstance(value, Mapping):
        return value
    return {name: one for name, one in value.items() if name != key}


def _metric_components(path: str, evaluator: Any) -> Iterator[_Component]:
    if isinstance(evaluator, Mapping) and "metrics" in evaluator:
        yield from _listed(f"{path}.metrics", evaluator["metrics"], METRICS)
    elif isinstance(evaluator, Mapping) and "type" not in evaluator:
        for name, one in evaluator.items():  # one for each of several sets
            yield from _metric_components(f"{path}.{name}", one)
    else:
        yield from _listed(path, evaluator, METRICS)


def _wrapper_components(wrapper: Any) -> Iterator[_Component]:
    if not isinstance(wrapper, Mapping):
        return
    if "constructor" not in wrapper or "optimizer" in wrapper:
        yield from _built("optim_wrapper.optimizer", wrapper.get("optimizer"), OPTIMIZERS)
    own = {key: value for key, value in wrapper.items() if key not in WRAPPER_KEYS}
    if "constructor" not in wrapper:
        own.setdefault("type", "OptimWrapper")
        yield _Component("optim_wrapper", own, OPTIM_WRAPPERS, ("optimizer",))
    if "paramwise_cfg" in wrapper:
        constructor = wrapper.get("constructor", "DefaultOptimWrapperConstructor")
        rules = {"type": constructor, "paramwise_cfg": wrapper["paramwise_cfg"]}
        given = ("optim_wrapper_cfg",)
        yield _Component("optim_wrapper", rules, OPTIM_WRAPPER_CONSTRUCTORS, given)


def _listed(
    path: str, value: Any, registry: Registry[Any], given: tuple[str, ...] = ()
) -> Iterator[_Component]:
    if isinstance(value, (list, tuple)):
        for position, entry in enumerate(value):
            yield from _built(f"{path}.{position}", entry, registry, given)
    else:
        yield from _built(path, value, registry, given)


def _built(
    path: str, value: Any, registry: Registry[Any], given: tuple[str, ...] = ()
) -> Iterator[_Component]:
    """A mapping that will be built, and so needs a ``type``; objects are built already."""
    if isinstance(value, (Mapping, str, int, float)):
        yield _Component(path, value, registry, given)


def _typed(
    path: str, value: Any, registry: Registry[Any], given: tuple[str, ...] = ()
) -> Iterator[_Component]:
    """A mapping that is built where it has a ``type``, and is settings where it has none."""
    if isinstance(value, Mapping) and "type" in value:
        yield _Component(path, value, registry, given)
