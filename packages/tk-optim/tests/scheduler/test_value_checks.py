"""Mistakes in the values of a schedule, found by a check and refused by the constructor alike."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from tk_optim import InvalidSettingError
from tk_registry import PARAM_SCHEDULERS

MISTAKES: list[tuple[dict[str, Any], str]] = [
    ({"type": "StepLR", "step_size": -1}, "step_size"),
    ({"type": "StepLR", "step_size": 3, "begin": 5, "end": 2}, "end"),
    ({"type": "ConstantLR", "factor": 1.5}, "factor"),
    ({"type": "LinearLR", "start_factor": 2.0, "end": 9}, "start_factor"),
    ({"type": "LinearLR"}, "end"),
    ({"type": "PolyLR"}, "end"),
    ({"type": "CosineAnnealingLR"}, "end"),
    ({"type": "CosineAnnealingLR", "T_max": 0}, "T_max"),
    (
        {"type": "CosineAnnealingLR", "T_max": 3, "eta_min": 0.1, "eta_min_ratio": 0.1},
        "eta_min_ratio",
    ),
    (
        {"type": "CosineRestartLR", "periods": [3, 0], "restart_weights": [1, 1], "eta_min": 0},
        "periods",
    ),
    ({"type": "CosineRestartLR", "periods": [3]}, "eta_min"),
    ({"type": "ExponentialLR", "gamma": 0.9, "last_step": -2}, "last_step"),
    ({"type": "ExponentialLR", "gamma": -0.9}, "gamma"),
    ({"type": "MultiStepLR", "milestones": [3], "gamma": -0.1}, "gamma"),
    ({"type": "MultiStepLR", "milestones": [3], "begin": 9, "end": 3}, "end"),
    ({"type": "OneCycleLR", "total_steps": 0}, "total_steps"),
    ({"type": "OneCycleLR", "total_steps": 9, "pct_start": 1.3}, "pct_start"),
    ({"type": "OneCycleLR", "total_steps": 9, "anneal_strategy": "sin"}, "anneal_strategy"),
    ({"type": "ReduceOnPlateauLR", "factor": 1.0}, "factor"),
    ({"type": "ReduceOnPlateauLR", "rule": "min"}, "rule"),
    ({"type": "ReduceOnPlateauLR", "by_epoch": False}, "by_epoch"),
]


@pytest.mark.parametrize(("cfg", "place"), MISTAKES, ids=str)
def test_a_check_and_the_constructor_agree(cfg: dict[str, Any], place: str) -> None:
    problems = PARAM_SCHEDULERS.check(cfg)
    optimizer = torch.optim.SGD([torch.zeros(1)], lr=0.1)

    assert [problem.path for problem in problems] == [place]
    sentence = problems[0].message.partition(": ")[2]
    with pytest.raises(InvalidSettingError) as caught:
        PARAM_SCHEDULERS.build(cfg, default_args={"optimizer": optimizer})
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    "cfg",
    [
        {"type": "LinearLR", "start_factor": 0.1, "begin": 0, "end": 5},
        {"type": "CosineAnnealingLR", "T_max": 9, "eta_min_ratio": 0.1, "begin": 5},
        {"type": "OneCycleLR", "eta_max": 0.1, "total_steps": 9},
        {"type": "ReduceOnPlateauMomentum", "factor": 0.5, "min_value": [0.0]},
    ],
    ids=str,
)
def test_ordinary_settings_have_no_problem(cfg: dict[str, Any]) -> None:
    assert PARAM_SCHEDULERS.check(cfg) == []
