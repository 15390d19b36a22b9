"""Find classes by name and build them from plain dicts."""

import typing

from .argument_rules import (
    Rule,
    at_least,
    between,
    check_values,
    count,
    more_than,
    one_of,
    pair_of,
    value_problems,
    value_rules,
)
from .build import build_from_cfg
from .builders import build_model_from_cfg, build_runner_from_cfg, build_scheduler_from_cfg
from .dotted_names import allow_names
from .errors import (
    ArgumentError,
    ConfigError,
    InstanceError,
    InvalidUseError,
    MissingTypeError,
    NameClashError,
    RefusedNameError,
    RegistrationImportError,
    RegistryError,
    UnknownNameError,
    UnknownScopeError,
)
from .instances import ManagerMeta, ManagerMixin
from .inventory import count_registered_modules, traverse_registry_tree
from .libraries import library_scopes
from .near_names import did_you_mean
from .problem_report import Problem
from .registry import Registry
from .root import (
    DATA_SAMPLERS,
    DATASETS,
    EVALUATOR,
    FUNCTIONS,
    HOOKS,
    INFERENCERS,
    LOG_PROCESSORS,
    LOOPS,
    METRICS,
    MODEL_WRAPPERS,
    MODELS,
    OPTIM_WRAPPER_CONSTRUCTORS,
    OPTIM_WRAPPERS,
    OPTIMIZERS,
    PARAM_SCHEDULERS,
    RUNNER_CONSTRUCTORS,
    RUNNERS,
    STRATEGIES,
    TASK_UTILS,
    TRANSFORMS,
    VISBACKENDS,
    VISUALIZERS,
    WEIGHT_INITIALIZERS,
)
from .scope import DefaultScope, init_default_scope

__all__ = [
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

if typing.TYPE_CHECKING:
    __version__: str
else:  # a type checker that saw it would take any name for public

    def __getattr__(name: str) -> str:
        if name == "__version__":
            from importlib.metadata import version  # slow, and seldom asked

            return version("tk-registry")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
