"""What importing the module that the package announces puts into the registries."""

from __future__ import annotations

from pathlib import Path

import pytest

import tk_optim
import tk_optim.registration
from tk_registry import OPTIM_WRAPPERS, OPTIMIZERS, PARAM_SCHEDULERS, UnknownNameError

FAMILIES = ["Constant", "CosineAnnealing", "CosineRestart", "Exponential", "Linear", "MultiStep",
            "OneCycle", "Poly", "ReduceOnPlateau", "Step"]  # fmt: skip


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_of_schedules_is_found_by_its_names(family: str) -> None:
    for kind in ("ParamScheduler", "LR", "Momentum"):
        if family + kind != "OneCycleMomentum":
            assert PARAM_SCHEDULERS.get(family + kind).__name__ == family + kind


def test_wrappers_and_torchs_optimizers_are_found_by_name() -> None:
    assert OPTIM_WRAPPERS.get("OptimWrapper") is tk_optim.OptimWrapper
    assert OPTIMIZERS.get("SGD").__module__ == "torch.optim.sgd"


def test_apexs_wrapper_is_answered_with_torchs_own() -> None:
    with pytest.raises(UnknownNameError, match="use AmpOptimWrapper"):
        OPTIM_WRAPPERS.resolve("ApexOptimWrapper")


def test_the_entry_point_names_this_module() -> None:
    project = Path(__file__).parents[1] / "pyproject.toml"
    if not project.exists():
        pytest.skip("the tests lie outside of the source tree")

    assert f'tk-optim = "{tk_optim.registration.__name__}"' in project.read_text()
