"""Mistakes in the values of a wrapper and its rules, found by a check without building."""

from __future__ import annotations

from typing import Any

import pytest

from tk_optim import DefaultOptimWrapperConstructor, InvalidSettingError
from tk_registry import OPTIM_WRAPPER_CONSTRUCTORS, OPTIM_WRAPPERS


@pytest.mark.parametrize(
    ("settings", "path", "text"),
    [
        ({"accumulative_counts": 0}, "accumulative_counts", "1 or more, got 0"),
        ({"clip_grad": {"max_normm": 1}}, "clip_grad", "did you mean 'max_norm'"),
        ({"clip_grad": {"max_norm": -1.0}}, "clip_grad", "max_norm must be a number above 0"),
        ({"clip_grad": {}}, "clip_grad", "give a dict such as"),
        ({"type": "AmpOptimWrapper", "dtype": "float8"}, "dtype", "no dtype of autocast"),
        ({"type": "AmpOptimWrapper", "accumulative_counts": 0}, "accumulative_counts", "got 0"),
        ({"type": "AmpOptimWrapper", "loss_scale": "static"}, "loss_scale", "a number"),
    ],
)
def test_a_value_of_a_wrapper_that_cannot_work_is_found(
    settings: dict[str, Any], path: str, text: str
) -> None:
    problems = OPTIM_WRAPPERS.check({"type": "OptimWrapper", **settings})

    assert [problem.path for problem in problems] == [path]
    assert text in problems[0].message


@pytest.mark.parametrize(
    ("rules", "text"),
    [
        ({"norm_decay": 0}, "did you mean 'norm_decay_mult'"),
        ({"bias_lr_mult": -1}, "bias_lr_mult must be a number of 0 or more, got -1"),
        ({"norm_decay_mult": "0"}, "norm_decay_mult must be a number of 0 or more, got '0'"),
        ({"custom_keys": {"head": {"lr_mult": -1}}}, r"custom_keys['head'].lr_mult must be"),
        ({"custom_keys": {"head": 0.1}}, "write dict(lr_mult=0.1)"),
        ({"match": "regex"}, "give 'segments' or 'substring'"),
        ({"layer_decay": {"rat": 0.5, "layers": []}}, "exactly 'rate' and 'layers'"),
        ({"layer_decay": {"rate": 0, "layers": []}}, "above 0, got 0"),
    ],
)
def test_a_rule_by_parameter_that_cannot_work_is_found_and_refused(
    rules: dict[str, Any], text: str
) -> None:
    cfg = {"type": "DefaultOptimWrapperConstructor", "paramwise_cfg": rules}
    problems = OPTIM_WRAPPER_CONSTRUCTORS.check(cfg)

    assert [problem.path for problem in problems] == ["paramwise_cfg"]
    assert text in problems[0].message
    with pytest.raises((InvalidSettingError, TypeError)):
        DefaultOptimWrapperConstructor({"optimizer": {"type": "SGD", "lr": 0.1}}, rules)


def test_ordinary_settings_have_no_problem() -> None:
    rules = {"norm_decay_mult": 0.0, "custom_keys": {"head": {"lr_mult": 10, "eps": 1e-6}}}
    cfg = {"type": "DefaultOptimWrapperConstructor", "paramwise_cfg": rules}

    assert OPTIM_WRAPPER_CONSTRUCTORS.check(cfg) == []
    assert OPTIM_WRAPPERS.check({"type": "OptimWrapper", "clip_grad": {"max_norm": 1}}) == []
