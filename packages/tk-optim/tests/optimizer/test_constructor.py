"""From a model and settings to a wrapper."""

from __future__ import annotations

import logging
from typing import Any

import pytest
import torch
from torch import nn
from torch.optim import SGD

from tk_optim import (
    AmpOptimWrapper,
    DefaultOptimWrapperConstructor,
    InvalidSettingError,
    InvalidTypeError,
    OptimWrapper,
    build_optim_wrapper,
)
from tk_registry import OPTIM_WRAPPER_CONSTRUCTORS, OPTIM_WRAPPERS, OPTIMIZERS

SETTINGS = {"type": "SGD", "lr": 1.0, "weight_decay": 0.1, "momentum": 0.9}


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, 4, 3)
        self.norm = nn.BatchNorm2d(4)
        self.blocks = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))
        self.aux_head = nn.Linear(4, 1)
        self.head = nn.Linear(4, 1)


def built(paramwise: dict[str, Any] | None, model: nn.Module | None = None,
          **optimizer: Any) -> tuple[nn.Module, OptimWrapper]:  # fmt: skip
    model = Model() if model is None else model
    cfg = {"optimizer": {**SETTINGS, **optimizer}, "paramwise_cfg": paramwise}
    return model, build_optim_wrapper(model, cfg)


def options_of(model: nn.Module, wrapper: OptimWrapper) -> dict[str, dict[str, Any]]:
    """The options of each parameter that the optimizer has, by its name."""
    names = {id(param): name for name, param in model.named_parameters()}
    return {
        names[id(param)]: {key: value for key, value in group.items() if key != "params"}
        for group in wrapper.param_groups
        for param in group["params"]
    }


def test_without_rules_there_is_one_group_of_all_parameters() -> None:
    model, wrapper = built(None)

    assert len(wrapper.param_groups) == 1
    assert wrapper.param_groups[0]["params"] == list(model.parameters())
    assert type(wrapper.optimizer) is SGD
    assert wrapper.get_lr() == {"lr": [1.0]}


def test_parameters_with_equal_options_share_a_group() -> None:
    _, wrapper = built({"norm_decay_mult": 0.0, "bias_lr_mult": 2.0})

    assert [len(group["params"]) for group in wrapper.param_groups] == [6, 6, 2]
    assert wrapper.get_lr() == {"lr": [1.0, 2.0, 1.0], "base_lr": [1.0]}
    assert {name for group in wrapper.param_groups for name in group} == {
        *SGD([nn.Parameter(torch.zeros(1))], lr=1).param_groups[0]
    }


def test_rules_combine() -> None:
    model, wrapper = built({
        "custom_keys": {"blocks": {"lr_mult": 0.1}, "blocks.1": {"decay_mult": 0.0},
                        "head": {"momentum": 0.5}},
        "bias_decay_mult": 0.0,
    })  # fmt: skip
    found = options_of(model, wrapper)

    assert (found["blocks.0.weight"]["lr"], found["blocks.0.weight"]["weight_decay"]) == (0.1, 0.1)
    assert (found["blocks.0.bias"]["lr"], found["blocks.0.bias"]["weight_decay"]) == (0.1, 0.0)
    assert (found["blocks.1.weight"]["lr"], found["blocks.1.weight"]["weight_decay"]) == (0.1, 0.0)
    assert found["head.weight"]["momentum"] == 0.5
    assert found["aux_head.weight"]["momentum"] == 0.9


def test_a_shared_layer_is_taken_once() -> None:
    model = Model()
    model.blocks[2] = model.blocks[0]
    model.head.weight = model.aux_head.weight
    _, wrapper = built({"custom_keys": {"head": {"lr_mult": 2.0}}}, model)
    taken = [id(param) for group in wrapper.param_groups for param in group["params"]]

    assert sorted(taken) == sorted(id(param) for param in model.parameters())
    assert len(set(taken)) == len(taken)


def test_a_parameter_that_needs_no_gradient_yet_trains_as_soon_as_it_does() -> None:
    model = nn.Linear(1, 1)
    model.weight.requires_grad_(False)
    wrapper = build_optim_wrapper(model, {"optimizer": {"type": "SGD", "lr": 0.5}})
    before = model.weight.detach().clone()

    model.weight.requires_grad_(True)
    wrapper.update_params(model(torch.ones(1, 1)).sum())

    assert torch.equal(model.weight, before - 0.5)


def test_parameters_that_need_no_gradient_come_after_those_that_do() -> None:
    model = Model()
    model.stem.requires_grad_(False)
    plain, wrapper = built(None, model)

    names = [name for name, _ in plain.named_parameters()]
    stem = [name for name in names if name.startswith("stem")]
    others = [name for name in names if not name.startswith("stem")]
    assert list(options_of(model, wrapper)) == [*others, *stem]


def test_a_pattern_of_freeze_takes_the_gradient_away() -> None:
    model, _ = built({"freeze": ["stem", "norm"]})

    frozen = {name for name, param in model.named_parameters() if not param.requires_grad}
    assert frozen == {"stem.weight", "stem.bias", "norm.weight", "norm.bias"}


def test_what_is_released_at_an_epoch_is_in_the_optimizer_from_the_start() -> None:
    model, wrapper = built({"freeze": {"stem": 2}, "custom_keys": {"stem": {"lr_mult": 0.1}}})
    before = model.stem.weight.detach().clone()

    def step(epoch: int) -> None:
        wrapper.freezing.apply(epoch)
        wrapper.update_params(model.norm(model.stem(torch.ones(2, 3, 4, 4))).square().sum()
                              + model.stem(torch.ones(1, 3, 4, 4)).sum())  # fmt: skip

    step(0)
    step(1)
    assert torch.equal(model.stem.weight, before)
    step(2)
    assert not torch.equal(model.stem.weight, before)
    assert options_of(model, wrapper)["stem.weight"]["lr"] == 0.1


def test_freeze_and_layer_decay_are_options_of_the_constructor() -> None:
    model = Model()
    constructor = DefaultOptimWrapperConstructor(
        {"optimizer": SETTINGS}, freeze=["stem"],
        layer_decay={"rate": 0.5, "layers": ["norm", "blocks.*", "*head"]},
    )  # fmt: skip
    wrapper = constructor(model)
    found = {name: one["lr"] for name, one in options_of(model, wrapper).items()}

    assert found["norm.weight"] == 0.5**4
    assert [found[f"blocks.{index}.bias"] for index in range(3)] == [0.125, 0.25, 0.5]
    assert found["head.weight"] == found["aux_head.weight"] == 1.0
    assert wrapper.freezing.frozen_for_good("stem.weight")


def test_keys_that_match_nothing_are_reported(caplog: pytest.LogCaptureFixture) -> None:
    built({"custom_keys": {"hed": {"lr_mult": 2.0}, "head": {"lr_mult": 2.0}},
           "layer_decay": {"rate": 0.5, "layers": ["embed", "head"]}})  # fmt: skip

    assert "custom_keys: 'hed' matches no parameter" in caplog.text
    assert "layer_decay: 'embed' matches no parameter" in caplog.text
    assert "'head'" not in caplog.text


def test_a_model_in_a_wrapper_is_looked_into() -> None:
    model = nn.DataParallel(Model())
    _, wrapper = built({"custom_keys": {"stem": {"lr_mult": 2.0}}}, model)

    assert len(wrapper.param_groups) == 2


def test_the_default_of_an_optimizer_can_be_multiplied() -> None:
    cfg = {"optimizer": {"type": "Adam"}, "paramwise_cfg": {"bias_lr_mult": 2.0}}

    assert build_optim_wrapper(Model(), cfg).get_lr()["lr"] == [0.001, 0.002]


def test_the_wrapper_gets_its_type_and_arguments() -> None:
    cfg = {"type": "AmpOptimWrapper", "optimizer": SETTINGS, "accumulative_counts": 3,
           "dtype": "bfloat16"}  # fmt: skip
    wrapper = build_optim_wrapper(Model(), cfg)

    assert type(wrapper) is AmpOptimWrapper
    assert wrapper.accumulative_counts == 3


def test_the_settings_are_left_as_they_are() -> None:
    cfg = {"optimizer": {**SETTINGS}, "paramwise_cfg": {"custom_keys": {"head": {"lr_mult": 2.0}}},
           "clip_grad": {"type": "value", "clip_value": 1.0}}  # fmt: skip
    before = repr(cfg)
    build_optim_wrapper(Model(), cfg)

    assert repr(cfg) == before


def test_the_first_argument_of_an_optimizer_may_have_another_name() -> None:
    class Renamed(SGD):
        def __init__(self, weights: Any, lr: float) -> None:
            super().__init__(weights, lr=lr)

    cfg = {"optimizer": {"type": Renamed, "lr": 0.1}}

    assert type(build_optim_wrapper(Model(), cfg).optimizer) is Renamed


def test_a_subclass_may_lay_out_the_groups_itself() -> None:
    class OneEach(DefaultOptimWrapperConstructor):
        def add_params(self, params, module, prefix="", is_dcn_module=None):
            params.extend({"params": [param]} for param in module.parameters())

    wrapper = OneEach({"optimizer": SETTINGS})(Model())

    assert len(wrapper.param_groups) == len([*Model().parameters()])


class ByDepth(DefaultOptimWrapperConstructor):
    """Written for MMEngine: reads a key of its own, and puts options of its own into groups."""

    def add_params(self, params: Any, module: nn.Module, **kwargs: Any) -> None:
        rate = self.paramwise_cfg["decay_rate"]
        for depth, (name, param) in enumerate(module.named_parameters()):
            group = {"params": [param], "lr": self.base_lr * rate**depth, "lr_scale": rate**depth,
                     "weight_decay": self.base_wd, "group_name": name}  # fmt: skip
            if not self._is_in(group, params):
                params.append(group)


def test_a_subclass_that_lays_out_the_groups_reads_keys_and_sets_options_of_its_own() -> None:
    settings = {"type": "SGD", "lr": 1.0, "weight_decay": 0.5}
    rules = {"decay_rate": 0.5, "norm_decay_mult": 0.0}

    wrapper = ByDepth({"optimizer": settings}, rules)(nn.Linear(1, 1))

    assert [group["lr"] for group in wrapper.param_groups] == [1.0, 0.5]
    assert [group["group_name"] for group in wrapper.param_groups] == ["weight", "bias"]


def test_a_check_without_building_knows_that_a_subclass_reads_further_keys() -> None:
    cfg = {"optim_wrapper_cfg": {"optimizer": SETTINGS}, "paramwise_cfg": {"decay_rate": 0.5}}

    default, own = (
        OPTIM_WRAPPER_CONSTRUCTORS.check({"type": kind, **cfg})
        for kind in (DefaultOptimWrapperConstructor, ByDepth)
    )

    assert "paramwise_cfg has no key 'decay_rate'" in default[0].message
    assert own == []


@pytest.mark.parametrize(
    ("paramwise", "text"),
    [
        ({"norm_decay_mult": 0.0}, "norm_decay_mult multiply the weight decay"),
        ({"custom_keys": {"head": {"decay_mult": 0.0}}}, r"custom_keys\['head'\] multiply"),
    ],
)
def test_a_decay_rule_needs_a_decay(paramwise: dict[str, Any], text: str) -> None:
    with pytest.raises(InvalidSettingError, match=text):
        DefaultOptimWrapperConstructor({"optimizer": {"type": "SGD", "lr": 1}}, paramwise)


def test_an_option_that_the_optimizer_does_not_know_is_refused() -> None:
    with pytest.raises(InvalidSettingError, match=r"set 'momentm', .*did you mean 'momentum'"):
        built({"custom_keys": {"head": {"momentm": 0.5}}})


def test_an_option_of_groups_only_can_be_allowed() -> None:
    _, wrapper = built({"custom_keys": {"head": {"use_muon": True}}, "extra_options": ["use_muon"]})

    assert wrapper.param_groups[1]["use_muon"] is True


def test_a_rate_that_nobody_gives_cannot_be_multiplied() -> None:
    class NoRate(SGD):
        def __init__(self, params: Any) -> None:
            super().__init__(params, lr=1.0)

    with pytest.raises(InvalidSettingError, match="a rule multiplies 'lr'"):
        build_optim_wrapper(
            Model(), {"optimizer": {"type": NoRate}, "paramwise_cfg": {"bias_lr_mult": 2.0}}
        )


@pytest.mark.parametrize(
    ("cfg", "error", "text"),
    [
        (["SGD"], InvalidTypeError, "optim_wrapper_cfg must be a dict"),
        ({"type": "OptimWrapper"}, InvalidSettingError, r"\['optimizer'\] is None"),
    ],
)
def test_settings_that_cannot_work_are_refused(cfg: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        DefaultOptimWrapperConstructor(cfg)


@pytest.mark.parametrize(
    ("model", "paramwise"),
    [(nn.ReLU(), None), (nn.Linear(1, 1), {"freeze": ["weight", "bias"]})],
    ids=["no parameters", "all frozen"],
)
def test_a_model_without_anything_to_train_is_refused(model: nn.Module, paramwise: Any) -> None:
    with pytest.raises(InvalidSettingError, match=r"no parameter of .* is to be trained"):
        built(paramwise, model)


def test_the_table_is_in_the_debug_log(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, "tk.optim"):
        built(None)

    assert "stem.weight" in caplog.text


def test_it_is_found_by_name() -> None:
    found = OPTIM_WRAPPER_CONSTRUCTORS.get("DefaultOptimWrapperConstructor")

    assert found is DefaultOptimWrapperConstructor
    assert OPTIMIZERS.get("SGD") is SGD
    assert OPTIM_WRAPPERS.get("AmpOptimWrapper") is AmpOptimWrapper
