"""Clipping, and the norms before and after."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from tk_optim import InvalidSettingError
from tk_optim.optimizer.clipping import Clipping


def params_with_gradient(*gradient: float) -> list[nn.Parameter]:
    param = nn.Parameter(torch.zeros(len(gradient)))
    param.grad = torch.tensor(gradient)
    return [param]


def test_by_norm_the_norms_before_and_after_are_given() -> None:
    params = params_with_gradient(3.0, 4.0)
    before, after = Clipping.from_settings({"max_norm": 1.0}).apply(params)

    assert before.item() == pytest.approx(5.0)
    assert after.item() == pytest.approx(params[0].grad.norm().item(), abs=1e-6)
    assert after.item() == pytest.approx(1.0, abs=1e-5)


def test_a_norm_below_the_limit_is_left_alone() -> None:
    params = params_with_gradient(0.3, 0.4)
    before, after = Clipping.from_settings({"max_norm": 1.0}).apply(params)

    assert before.item() == after.item() == pytest.approx(0.5)
    assert params[0].grad.tolist() == pytest.approx([0.3, 0.4])


def test_another_kind_of_norm_is_passed_on() -> None:
    before, _ = Clipping.from_settings({"max_norm": 9, "norm_type": 1}).apply(
        params_with_gradient(3.0, 4.0)
    )

    assert before.item() == pytest.approx(7.0)


def test_by_value_the_norms_before_and_after_are_given() -> None:
    params = params_with_gradient(3.0, -4.0)
    before, after = Clipping.from_settings({"type": "value", "clip_value": 0.5}).apply(params)

    assert params[0].grad.tolist() == [0.5, -0.5]
    assert (before.item(), after.item()) == pytest.approx((5.0, 0.5**0.5))


def test_a_gradient_that_is_nan_shows_in_both_norms() -> None:
    before, after = Clipping.from_settings({"max_norm": 1.0}).apply(
        params_with_gradient(float("nan"))
    )

    assert before.isnan()
    assert after.isnan()


def test_a_gradient_of_infinity_leaves_no_number() -> None:
    params = params_with_gradient(float("inf"), 1.0)
    before, after = Clipping.from_settings({"max_norm": 1.0}).apply(params)

    assert before.isinf()
    assert after.isnan()
    assert params[0].grad.norm().isnan()


def test_the_settings_are_left_as_they_are() -> None:
    settings = {"type": "value", "clip_value": 0.5}
    Clipping.from_settings(settings)

    assert settings == {"type": "value", "clip_value": 0.5}


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({}, "give a dict such as"),
        ([1], "give a dict such as"),
        ({"type": "norm"}, "gives no limit; add max_norm"),
        ({"type": "value"}, "gives no limit; add clip_value"),
        ({"type": "norms", "max_norm": 1}, "give 'norm' or 'value'"),
        ({"max_nrom": 1}, "no option 'max_nrom'"),
    ],
)
def test_settings_that_cannot_work_are_refused(settings: object, text: str) -> None:
    with pytest.raises(InvalidSettingError, match=text):
        Clipping.from_settings(settings)
