"""The shared registries: one object for each kind of thing, on which all packages meet.

The table names kinds and imports nobody. Owners register into them when they are
imported.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from .builders import build_model_from_cfg, build_runner_from_cfg, build_scheduler_from_cfg
from .registry import Registry
from .scope import ROOT_SCOPE


def _root(
    name: str,
    build_func: Callable[..., Any] | None = None,
    supplied: Collection[str] = (),
    consumed: Collection[str] = (),
) -> Registry[Any]:
    return Registry(name, build_func, scope=ROOT_SCOPE, supplied=supplied, consumed=consumed)


_RUNNER_PARTS = ("runner", "dataloader", "evaluator")

RUNNERS = _root("runner", build_runner_from_cfg)
RUNNER_CONSTRUCTORS = _root("runner constructor")
LOOPS = _root("loop", supplied=_RUNNER_PARTS)
HOOKS = _root("hook", consumed=("priority",))
STRATEGIES = _root("strategy")

DATASETS = _root("dataset")
DATA_SAMPLERS = _root("data sampler", supplied=("dataset", "sampler", "batch_size", "seed"))
TRANSFORMS = _root("transform")
FUNCTIONS = _root("function", supplied=("*",))

MODELS = _root("model", build_model_from_cfg)
MODEL_WRAPPERS = _root("model_wrapper", supplied=("module",))
WEIGHT_INITIALIZERS = _root("weight initializer")

OPTIMIZERS = _root("optimizer", supplied=("params",))
OPTIM_WRAPPERS = _root(
    "optim_wrapper", supplied=("optimizer",), consumed=("constructor", "paramwise_cfg")
)
OPTIM_WRAPPER_CONSTRUCTORS = _root(
    "optimizer wrapper constructor", supplied=("optim_wrapper_cfg", "paramwise_cfg")
)
PARAM_SCHEDULERS = _root(
    "parameter scheduler",
    build_scheduler_from_cfg,
    supplied=("optimizer",),
    consumed=("convert_to_iter_based", "epoch_length"),
)

METRICS = _root("metric")
EVALUATOR = _root("evaluator")
TASK_UTILS = _root("task util")
INFERENCERS = _root("inferencer")

VISUALIZERS = _root("visualizer", supplied=("name", "save_dir"))
VISBACKENDS = _root("vis_backend", supplied=("save_dir",), consumed=("name",))
LOG_PROCESSORS = _root("log_processor")
