"""The public surface, and what importing it costs."""

from __future__ import annotations

import subprocess
import sys
from types import ModuleType

import tk_registry

PUBLIC = [
    "ArgumentError",
    "ConfigError",
    "DATASETS",
    "DATA_SAMPLERS",
    "DefaultScope",
    "EVALUATOR",
    "FUNCTIONS",
    "HOOKS",
    "INFERENCERS",
    "InstanceError",
    "InvalidUseError",
    "LOG_PROCESSORS",
    "LOOPS",
    "METRICS",
    "MODELS",
    "MODEL_WRAPPERS",
    "ManagerMeta",
    "ManagerMixin",
    "MissingTypeError",
    "NameClashError",
    "OPTIMIZERS",
    "OPTIM_WRAPPERS",
    "OPTIM_WRAPPER_CONSTRUCTORS",
    "PARAM_SCHEDULERS",
    "Problem",
    "RUNNERS",
    "RUNNER_CONSTRUCTORS",
    "RefusedNameError",
    "RegistrationImportError",
    "Registry",
    "RegistryError",
    "Rule",
    "STRATEGIES",
    "TASK_UTILS",
    "TRANSFORMS",
    "UnknownNameError",
    "UnknownScopeError",
    "VISBACKENDS",
    "VISUALIZERS",
    "WEIGHT_INITIALIZERS",
    "allow_names",
    "at_least",
    "between",
    "build_from_cfg",
    "build_model_from_cfg",
    "build_runner_from_cfg",
    "build_scheduler_from_cfg",
    "check_values",
    "count",
    "count_registered_modules",
    "did_you_mean",
    "init_default_scope",
    "library_scopes",
    "more_than",
    "one_of",
    "pair_of",
    "traverse_registry_tree",
    "value_problems",
    "value_rules",
]


def test_the_public_names_are_exactly_these() -> None:
    shown = {
        name
        for name, value in vars(tk_registry).items()
        if not name.startswith("_") and not isinstance(value, ModuleType)
    }

    assert shown == set(tk_registry.__all__)
    assert tk_registry.__all__ == PUBLIC


def loaded_by(code: str) -> set[str]:
    """Top-level modules that a fresh interpreter has more after ``code``."""
    program = f"import sys; before = set(sys.modules)\n{code}\nprint(*(set(sys.modules) - before))"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program], check=True, capture_output=True, text=True
    )
    return set(done.stdout.split())


def test_importing_and_building_loads_only_a_little_of_the_standard_library() -> None:
    loaded = loaded_by(
        "import tk_registry\n"
        "tk_registry.MODELS.register_module('D', module=dict)\n"
        "tk_registry.MODELS.build({'type': 'D', 'a': 1})"
    )
    tops = {name.partition(".")[0] for name in loaded}

    assert tops - set(sys.stdlib_module_names) == {"tk_registry"}
    heavy = {
        "inspect",
        "difflib",
        "logging",
        "dataclasses",
        "pathlib",
        "json",
        "importlib.metadata",
    }
    assert not heavy & loaded


def test_the_version_is_that_of_the_distribution() -> None:
    assert tk_registry.__version__.count(".") == 2
