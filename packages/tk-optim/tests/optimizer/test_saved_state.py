"""The saved state of an optimizer goes to the parameters that it belongs to."""

from __future__ import annotations

import logging
from typing import Any

import pytest
import torch
from torch import nn
from torch.optim import SGD, Adafactor, Adam, AdamW

from tk_optim import InvalidSettingError, OptimWrapper, build_optim_wrapper
from tk_optim.scheduler import StepLR


def wrapper_of(model: nn.Module, kind: Any = SGD, **settings: Any) -> OptimWrapper:
    cfg: dict[str, Any] = {"type": kind, "lr": 0.1, **({"momentum": 0.9} if kind is SGD else {})}
    return build_optim_wrapper(model, {"optimizer": {**cfg, **settings}})


def two(first: str = "a", second: str = "b") -> nn.ModuleDict:
    return nn.ModuleDict({name: nn.Linear(1, 1, bias=False) for name in (first, second)})


def trained(model: nn.ModuleDict, wrapper: OptimWrapper) -> dict[str, Any]:
    """The state after a step whose gradient is 1 for ``a`` and 2 for ``b``."""
    wrapper.update_params(model["a"].weight.sum() + 2 * model["b"].weight.sum())
    return wrapper.state_dict()


def momentum(model: nn.ModuleDict, wrapper: OptimWrapper, name: str) -> float:
    return float(wrapper.optimizer.state[model[name].weight]["momentum_buffer"])


def without_names(state: dict[str, Any]) -> dict[str, Any]:
    return {key: state[key] for key in ("state", "param_groups")}


def test_a_parameter_is_found_by_its_name_in_another_order() -> None:
    saved = trained(model := two(), wrapper_of(model))
    turned = two("b", "a")
    wrapper = wrapper_of(turned)
    wrapper.load_state_dict(saved)

    assert momentum(turned, wrapper, "a") == 1.0
    assert momentum(turned, wrapper, "b") == 2.0


def test_a_parameter_is_found_in_another_layout_of_groups() -> None:
    saved = trained(model := two(), wrapper_of(model, lr=0.5))
    model = two()
    cfg = {"optimizer": {"type": "SGD", "lr": 0.1, "momentum": 0.9},
           "paramwise_cfg": {"custom_keys": {"a": {"momentum": 0.8}}}}  # fmt: skip
    wrapper = build_optim_wrapper(model, cfg)
    wrapper.load_state_dict(saved)

    assert [momentum(model, wrapper, name) for name in "ab"] == [1.0, 2.0]
    assert wrapper.get_lr()["lr"] == [0.5, 0.5]


def test_other_parameters_are_refused_by_name() -> None:
    saved = trained(model := two(), wrapper_of(model))

    with pytest.raises(InvalidSettingError, match=r"has no 'c.weight', .* no 'b.weight'; go on"):
        wrapper_of(two("a", "c")).load_state_dict(saved)


def test_another_kind_of_optimizer_is_refused_though_its_options_agree() -> None:
    saved = trained(model := two(), wrapper_of(model, Adam))

    with pytest.raises(InvalidSettingError, match="does not fit AdamW: it is the state of Adam;"):
        wrapper_of(two(), AdamW).load_state_dict(saved)


def test_a_state_without_names_is_matched_by_position_and_it_is_said(
    caplog: pytest.LogCaptureFixture,
) -> None:
    saved = without_names(trained(model := two(), wrapper_of(model)))
    model = two()
    wrapper = wrapper_of(model)
    with caplog.at_level(logging.INFO, "tk.optim"):
        wrapper.load_state_dict(saved)

    assert [momentum(model, wrapper, name) for name in "ab"] == [1.0, 2.0]
    assert "matched by position" in caplog.text


def test_a_state_without_names_may_lack_parameters_that_need_no_gradient() -> None:
    saved = without_names(trained(model := two(), wrapper_of(model)))
    model = nn.ModuleDict({"frozen": nn.Linear(3, 3).requires_grad_(False), **two()})
    wrapper = wrapper_of(model)
    wrapper.load_state_dict(saved)

    assert [momentum(model, wrapper, name) for name in "ab"] == [1.0, 2.0]


def test_a_state_without_names_of_other_shapes_is_refused() -> None:
    saved = without_names(trained(model := two(), wrapper_of(model)))
    other = nn.ModuleDict({"a": nn.Linear(1, 1, bias=False), "b": nn.Linear(2, 1, bias=False)})

    with pytest.raises(InvalidSettingError, match=r"has the shape \(1, 2\) and .* \(1, 1\)"):
        wrapper_of(other).load_state_dict(saved)


def test_a_state_that_is_reduced_along_a_dimension_fits() -> None:
    model = nn.Linear(3, 2, bias=False)
    wrapper = OptimWrapper(Adafactor(model.parameters()))
    wrapper.update_params(model(torch.ones(1, 3)).sum())
    wrapper.load_state_dict(wrapper.state_dict())

    assert set(wrapper.optimizer.state[model.weight]) == {"step", "row_var", "col_var"}


def test_settings_that_are_not_taken_over_are_said(caplog: pytest.LogCaptureFixture) -> None:
    saved = trained(model := two(), wrapper_of(model))
    wrapper = wrapper_of(two(), lr=0.02, weight_decay=0.3)
    with caplog.at_level(logging.WARNING, "tk.optim"):
        wrapper.load_state_dict(saved)

    assert wrapper.get_lr()["lr"] == [0.1]
    assert "group 0: lr=0.1 (this run's setting is 0.02), weight_decay=0 (" in caplog.text


def test_what_a_schedule_drives_stays_as_this_run_sets_it(caplog: pytest.LogCaptureFixture) -> None:
    saved = trained(model := two(), first := wrapper_of(model))
    StepLR(first, step_size=1)
    wrapper = wrapper_of(two(), lr=0.02)
    schedule = StepLR(wrapper, step_size=1)
    with caplog.at_level(logging.WARNING, "tk.optim"):
        wrapper.load_state_dict(saved)
    schedule.step()

    assert wrapper.get_lr()["lr"] == [pytest.approx(0.002)]
    assert wrapper.param_groups[0]["initial_lr"] == 0.02
    assert not caplog.records
