"""From a mapping to a wrapper: the forms that a config has."""

from __future__ import annotations

import pytest
from torch import nn
from torch.optim import SGD

from tk_optim import (
    DefaultOptimWrapperConstructor,
    InvalidSettingError,
    InvalidTypeError,
    OptimWrapper,
    build_optim_wrapper,
)
from tk_registry import OPTIM_WRAPPER_CONSTRUCTORS, UnknownNameError


def test_an_optimizer_that_is_built_is_wrapped() -> None:
    model = nn.Linear(1, 1)
    optimizer = SGD(model.parameters(), lr=0.1)
    wrapper = build_optim_wrapper(model, {"optimizer": optimizer, "accumulative_counts": 2})

    assert wrapper.optimizer is optimizer
    assert wrapper.accumulative_counts == 2


def test_an_optimizer_that_is_built_takes_no_rules() -> None:
    model = nn.Linear(1, 1)
    cfg = {"optimizer": SGD(model.parameters(), lr=0.1), "paramwise_cfg": {"bias_lr_mult": 2.0}}

    with pytest.raises(InvalidSettingError, match="give optimizer as a dict"):
        build_optim_wrapper(model, cfg)


def test_a_constructor_is_given_by_name_as_a_class_or_with_its_options() -> None:
    class Mine(DefaultOptimWrapperConstructor):
        def __call__(self, model: nn.Module) -> OptimWrapper:
            wrapper = super().__call__(model)
            wrapper.made_by = "mine"
            return wrapper

    OPTIM_WRAPPER_CONSTRUCTORS.register_module(name="Mine", module=Mine)
    try:
        for form in (
            "Mine",
            Mine,
            {"type": "Mine", "layer_decay": {"rate": 0.5, "layers": ["bias", "weight"]}},
        ):
            cfg = {"constructor": form, "optimizer": {"type": "SGD", "lr": 0.1}}
            wrapper = build_optim_wrapper(nn.Linear(1, 1), cfg)
            assert wrapper.made_by == "mine"
    finally:
        OPTIM_WRAPPER_CONSTRUCTORS.module_dict.pop("Mine", None)

    assert sorted(wrapper.get_lr()["lr"]) == [0.05, 0.1]


def test_an_unknown_constructor_is_named() -> None:
    with pytest.raises(UnknownNameError, match="NoSuchConstructor"):
        build_optim_wrapper(nn.Linear(1, 1), {"constructor": "NoSuchConstructor", "optimizer": {}})


def test_an_unknown_optimizer_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="AdamW"):
        build_optim_wrapper(nn.Linear(1, 1), {"optimizer": {"type": "AdamWW", "lr": 1.0}})


def test_settings_must_be_a_mapping() -> None:
    with pytest.raises(InvalidTypeError, match="must be a dict, got list"):
        build_optim_wrapper(nn.Linear(1, 1), [])
