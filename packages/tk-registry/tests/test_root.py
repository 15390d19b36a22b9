"""The shared registries."""

from __future__ import annotations

import pytest

from tk_registry import (
    MODELS,
    PARAM_SCHEDULERS,
    RUNNERS,
    Registry,
    build_from_cfg,
    build_model_from_cfg,
    build_runner_from_cfg,
    build_scheduler_from_cfg,
    root,
)

NAMES = {
    "RUNNERS": "runner",
    "RUNNER_CONSTRUCTORS": "runner constructor",
    "LOOPS": "loop",
    "HOOKS": "hook",
    "STRATEGIES": "strategy",
    "DATASETS": "dataset",
    "DATA_SAMPLERS": "data sampler",
    "TRANSFORMS": "transform",
    "MODELS": "model",
    "MODEL_WRAPPERS": "model_wrapper",
    "WEIGHT_INITIALIZERS": "weight initializer",
    "OPTIMIZERS": "optimizer",
    "OPTIM_WRAPPERS": "optim_wrapper",
    "OPTIM_WRAPPER_CONSTRUCTORS": "optimizer wrapper constructor",
    "PARAM_SCHEDULERS": "parameter scheduler",
    "METRICS": "metric",
    "EVALUATOR": "evaluator",
    "TASK_UTILS": "task util",
    "VISUALIZERS": "visualizer",
    "VISBACKENDS": "vis_backend",
    "LOG_PROCESSORS": "log_processor",
    "INFERENCERS": "inferencer",
    "FUNCTIONS": "function",
}


def test_there_are_exactly_these() -> None:
    registries = {name: value for name, value in vars(root).items() if isinstance(value, Registry)}

    assert {name: registry.name for name, registry in registries.items()} == NAMES
    assert {registry.scope for registry in registries.values()} == {"tk"}
    assert {registry.parent for registry in registries.values()} == {None}


@pytest.mark.parametrize("name", NAMES)
def test_only_models_schedules_and_runners_have_builders_of_their_own(name: str) -> None:
    special = {
        "MODELS": build_model_from_cfg,
        "PARAM_SCHEDULERS": build_scheduler_from_cfg,
        "RUNNERS": build_runner_from_cfg,
    }
    if name != "OPTIMIZERS":  # tk-optim may set that one
        assert getattr(root, name).build_func is special.get(name, build_from_cfg)


def test_they_are_the_public_ones() -> None:
    assert (MODELS, RUNNERS, PARAM_SCHEDULERS) == (
        root.MODELS,
        root.RUNNERS,
        root.PARAM_SCHEDULERS,
    )
