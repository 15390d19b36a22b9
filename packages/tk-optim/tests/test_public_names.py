"""The public surface, and what importing it costs."""

from __future__ import annotations

import subprocess
import sys

import tk_optim
import tk_optim.optimizer
import tk_optim.scheduler
from tk_registry import PARAM_SCHEDULERS

PUBLIC = [
    "AmpOptimWrapper",
    "AnyOptimWrapper",
    "BaseOptimWrapper",
    "ConstantLR",
    "ConstantMomentum",
    "ConstantParamScheduler",
    "CosineAnnealingLR",
    "CosineAnnealingMomentum",
    "CosineAnnealingParamScheduler",
    "CosineRestartLR",
    "CosineRestartMomentum",
    "CosineRestartParamScheduler",
    "DefaultOptimWrapperConstructor",
    "ExponentialLR",
    "ExponentialMomentum",
    "ExponentialParamScheduler",
    "Freezing",
    "InvalidSettingError",
    "InvalidTypeError",
    "LRSchedulerMixin",
    "LinearLR",
    "LinearMomentum",
    "LinearParamScheduler",
    "MissingExtraError",
    "MomentumSchedulerMixin",
    "MultiStepLR",
    "MultiStepMomentum",
    "MultiStepParamScheduler",
    "OPTIMIZERS",
    "OPTIM_WRAPPERS",
    "OPTIM_WRAPPER_CONSTRUCTORS",
    "OneCycleLR",
    "OneCycleParamScheduler",
    "OptimError",
    "OptimWrapper",
    "OptimWrapperDict",
    "PolyLR",
    "PolyMomentum",
    "PolyParamScheduler",
    "Progress",
    "ReduceOnPlateauLR",
    "ReduceOnPlateauMomentum",
    "ReduceOnPlateauParamScheduler",
    "StepLR",
    "StepMomentum",
    "StepParamScheduler",
    "TORCH_OPTIMIZERS",
    "UnknownKeyError",
    "UnsupportedCallError",
    "WarmupStableDecayLR",
    "WarmupStableDecayMomentum",
    "WarmupStableDecayParamScheduler",
    "ZeroRedundancyOptimizer",
    "_ParamScheduler",
    "autocast",
    "build_optim_wrapper",
    "draw_schedule",
    "param_table",
    "plot_schedule",
    "restore_schedules",
    "sample_schedule",
    "sparkline",
]


def test_the_public_names_are_exactly_these() -> None:
    assert tk_optim.__all__ == PUBLIC
    assert set(PUBLIC) <= set(dir(tk_optim))


def test_each_public_name_is_there() -> None:
    for name in PUBLIC:
        assert getattr(tk_optim, name).__doc__, name


def test_the_folders_have_the_names_that_users_know() -> None:
    for folder in (tk_optim.optimizer, tk_optim.scheduler):
        for name in folder.__all__:
            assert getattr(folder, name) is getattr(tk_optim, name), name


def test_importing_the_package_does_not_import_torch() -> None:
    code = "import sys; sys.modules['torch'] = None; import tk_optim; dir(tk_optim)"
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)


def test_an_unknown_name_is_an_attribute_error() -> None:
    assert not hasattr(tk_optim, "ApexOptimWrapper")


def test_mistakes_in_a_schedule_are_found_without_building_it() -> None:
    cfg = {"type": "StepLR", "step_siz": 3, "gamma": "much"}
    problems = [str(problem) for problem in PARAM_SCHEDULERS.check(cfg)]

    assert any("step_siz" in problem and "step_size" in problem for problem in problems)
    assert any("gamma" in problem and "float" in problem for problem in problems)
