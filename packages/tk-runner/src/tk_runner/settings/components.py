"""Which registry builds which part of the settings, and what is wrong with each part.

A registry knows what it adds to a config and what it takes out of it, and whatever
takes a value declares what the value may be; here stands only where the parts are.
Settings that are no component, such as ``randomness``, are checked against the
function or the class that takes them.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from torch.utils.data import DataLoader

from tk_registry import (
    DATA_SAMPLERS,
    DATASETS,
    FUNCTIONS,
    HOOKS,
    LOG_PROCESSORS,
    LOOPS,
    METRICS,
    MODEL_WRAPPERS,
    MODELS,
    OPTIM_WRAPPER_CONSTRUCTORS,
    OPTIM_WRAPPERS,
    OPTIMIZERS,
    PARAM_SCHEDULERS,
    STRATEGIES,
    VISUALIZERS,
    DefaultScope,
    Registry,
    did_you_mean,
)

from ..data import StatefulDataLoader
from ..loops import EpochBasedTrainLoop, IterBasedTrainLoop, TestLoop, ValLoop
from ..loops.evaluation import is_a_loader
from ..process.environment import EnvironmentSettings, MultiprocessingSettings
from ..process.seed import set_random_seed
from .dataloader import OWN_KEYS, loader_problems
from .default_hooks import with_default_type
from .groups import LearningRateScaling
from .mistake import ConfigMistake
from .optim_wrapper import problem_of_wrapper
from .run_settings import MODES, RunSettings

LOADER_KEYS = (*OWN_KEYS, "num_batch_per_epoch", "disable_subprocess_warning")


def component_problems(settings: RunSettings) -> list[ConfigMistake]:
    """What is wrong with the parts that are configs; what is built already is left alone."""
    found = []
    with DefaultScope.overwrite_default_scope(settings.default_scope):
        for part in _components(settings):
            found += part.problems()
    return [*found, *_wrapper_problems(settings), *_loader_problems(settings)]


@dataclass(frozen=True)
class _Component:
    """A part of the settings that a registry will build, or that is taken by a function."""

    path: str
    value: Any
    registry: Registry[Any]
    given: tuple[str, ...] = ()  # what a run adds, beside what the registry knows of
    taken_by: Callable[..., Any] | None = None

    def problems(self) -> list[ConfigMistake]:
        value = self.value if self.taken_by is None else _call(self.taken_by, self.value)
        found = []
        for problem in self.registry.check(value, given=self.given):
            path = f"{self.path}.{problem.path}" if problem.path else self.path
            found.append(ConfigMistake(self._worded(problem.message), path, problem.origin))
        return found

    def _worded(self, message: str) -> str:
        """Without the name of the function, which a user of plain settings never wrote."""
        if self.taken_by is None:
            return message
        return message.removeprefix(f"{self.taken_by.__module__}.{self.taken_by.__qualname__}: ")


def _components(settings: RunSettings) -> Iterator[_Component]:
    yield from _built("model", settings.model, MODELS)
    if isinstance(settings.data_preprocessor, Mapping) and "type" in settings.data_preprocessor:
        yield _Component("data_preprocessor", settings.data_preprocessor, MODELS)
    yield from _typed("visualizer", settings.visualizer, VISUALIZERS, "Visualizer")
    yield from _typed("log_processor", settings.log_processor, LOG_PROCESSORS, "LogProcessor")
    yield from _placement_components(settings)
    yield from _loader_components(settings)
    yield from _loop_components(settings)
    for mode, group in (("val", settings.val), ("test", settings.test)):
        yield from _metric_components(f"{mode}_evaluator", group.evaluator)
    yield from _wrapper_components(settings.train.optim_wrapper)
    yield from _schedule_components(settings.train.param_scheduler)
    yield from _taken("auto_scale_lr", settings.train.auto_scale_lr, LearningRateScaling)
    yield from _hook_components(settings)
    yield from _taken("randomness", settings.start.randomness, set_random_seed)
    yield from _taken("env_cfg", settings.env_cfg, EnvironmentSettings)
    if isinstance(settings.env_cfg, Mapping):
        yield from _taken("env_cfg.mp_cfg", settings.env_cfg.get("mp_cfg"), MultiprocessingSettings)


def _schedule_components(schedules: Any) -> Iterator[_Component]:
    """Schedules, or those of several optimizers by name; without an end, that of the run."""
    by_path = {"param_scheduler": schedules}
    if isinstance(schedules, Mapping) and "type" not in schedules:
        # Numbers and texts are arguments of a schedule that lacks its type.
        is_by_name = not any(isinstance(some, (str, int, float)) for some in schedules.values())
        if is_by_name:
            by_path = {f"param_scheduler.{name}": some for name, some in schedules.items()}
    for path, some in by_path.items():
        yield from _listed(path, some, PARAM_SCHEDULERS, ("end",))


def _placement_components(settings: RunSettings) -> Iterator[_Component]:
    yield from _built("strategy", settings.placement.strategy, STRATEGIES)
    wrapper = settings.placement.model_wrapper_cfg
    yield from _typed("model_wrapper_cfg", wrapper, MODEL_WRAPPERS, "MMDistributedDataParallel")


def _loader_components(settings: RunSettings) -> Iterator[_Component]:
    for path, loader in _loaders(settings):
        yield from _built(f"{path}.dataset", loader.get("dataset"), DATASETS)
        for name, registry in (
            ("sampler", DATA_SAMPLERS),
            ("batch_sampler", DATA_SAMPLERS),
            ("collate_fn", FUNCTIONS),
        ):
            value = loader.get(name)
            if isinstance(value, Mapping):
                yield _Component(f"{path}.{name}", value, registry)


def _loop_components(settings: RunSettings) -> Iterator[_Component]:
    cfg = settings.train.cfg
    if isinstance(cfg, Mapping) and "type" not in cfg:
        loop = EpochBasedTrainLoop if cfg.get("by_epoch", True) else IterBasedTrainLoop
        # Their lengths are told by `TrainSettings`, which knows what by_epoch means.
        ours = {"max_epochs": 0, "max_iters": 0, **cfg}
        ours.pop("by_epoch", None)
        ours.pop("max_iters" if loop is EpochBasedTrainLoop else "max_epochs")
        yield _Component("train_cfg", ours, LOOPS, taken_by=loop)
    else:
        yield from _built("train_cfg", cfg, LOOPS)
    for mode, group, kind in (("val", settings.val, ValLoop), ("test", settings.test, TestLoop)):
        if isinstance(group.cfg, Mapping) and "type" not in group.cfg:
            yield _Component(f"{mode}_cfg", group.cfg, LOOPS, taken_by=kind)
        else:
            yield from _built(f"{mode}_cfg", group.cfg, LOOPS)


def _hook_components(settings: RunSettings) -> Iterator[_Component]:
    hooks = settings.hooks.custom
    if isinstance(hooks, (list, tuple)):
        yield from _listed("custom_hooks", hooks, HOOKS)
    default_hooks = settings.hooks.default
    for name, hook in default_hooks.items() if isinstance(default_hooks, Mapping) else ():
        yield from _built(f"default_hooks.{name}", with_default_type(name, hook), HOOKS)


def _loaders(settings: RunSettings) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every loader that is a config, also where one argument holds several by name."""
    for mode in MODES:
        path, loader = f"{mode}_dataloader", settings.dataloader(mode)
        if not isinstance(loader, Mapping):
            continue
        is_named = [is_a_loader(each) for each in loader.values()]
        if any(is_named) and "dataset" not in loader:
            for name, each in loader.items():
                if isinstance(each, Mapping):
                    yield f"{path}.{name}", each
        else:
            yield path, loader


def _loader_problems(settings: RunSettings) -> list[ConfigMistake]:
    """Arguments that no loader takes, and loaders without data."""
    known = {
        *LOADER_KEYS,
        *inspect.signature(DataLoader).parameters,
        *inspect.signature(StatefulDataLoader).parameters,
    }
    found = []
    for path, loader in _loaders(settings):
        if "dataset" not in loader:
            text = "a dataloader needs a 'dataset': a dataset or the config of one"
            found.append(ConfigMistake(text, path))
        for key in loader:
            if key not in known:
                text = f"no loader takes it; {did_you_mean(key, known)}"
                found.append(ConfigMistake(text, f"{path}.{key}"))
        found += [ConfigMistake(text, f"{path}.{key}") for key, text in loader_problems(loader)]
    return found


def _metric_components(path: str, evaluator: Any) -> Iterator[_Component]:
    if isinstance(evaluator, Mapping) and "metrics" in evaluator:
        yield from _listed(f"{path}.metrics", evaluator["metrics"], METRICS)
    elif isinstance(evaluator, Mapping) and "type" not in evaluator:
        for name, each in evaluator.items():  # one for each of several sets
            yield from _metric_components(f"{path}.{name}", each)
    else:
        yield from _listed(path, evaluator, METRICS)


def _wrapper_components(wrapper: Any) -> Iterator[_Component]:
    if not isinstance(wrapper, Mapping):
        return
    if "constructor" not in wrapper or "optimizer" in wrapper:
        yield from _built("optim_wrapper.optimizer", wrapper.get("optimizer"), OPTIMIZERS)
    if "constructor" not in wrapper:
        # The optimizer was looked at with its own registry; the wrapper is given the built one.
        own = {key: value for key, value in wrapper.items() if key != "optimizer"}
        yield _Component("optim_wrapper", {"type": "OptimWrapper", **own}, OPTIM_WRAPPERS)
    if "paramwise_cfg" in wrapper:
        constructor = wrapper.get("constructor", "DefaultOptimWrapperConstructor")
        rules = {"type": constructor, "paramwise_cfg": wrapper["paramwise_cfg"]}
        yield _Component("optim_wrapper", rules, OPTIM_WRAPPER_CONSTRUCTORS)


def _wrapper_problems(settings: RunSettings) -> list[ConfigMistake]:
    """An optimizer that stands where its wrapper should."""
    wrapper = settings.train.optim_wrapper
    text = problem_of_wrapper(wrapper) if isinstance(wrapper, Mapping) else None
    return [ConfigMistake(text, "optim_wrapper")] if text else []


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
    path: str, value: Any, registry: Registry[Any], default_type: str
) -> Iterator[_Component]:
    """A mapping that is built as ``default_type`` where it names no other one."""
    if isinstance(value, Mapping):
        yield _Component(path, {"type": default_type, **value}, registry)


def _taken(path: str, value: Any, taken_by: Callable[..., Any]) -> Iterator[_Component]:
    """A mapping whose entries are the arguments of ``taken_by``; anything else is none."""
    if isinstance(value, Mapping):
        yield _Component(path, value, FUNCTIONS, taken_by=taken_by)


def _call(taken_by: Callable[..., Any], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments with the defaults, which a config of a component may leave to its builder."""
    parameters = inspect.signature(taken_by).parameters.items()
    defaults = {name: one.default for name, one in parameters if one.default is not one.empty}
    return {"type": taken_by, **defaults, **arguments}
