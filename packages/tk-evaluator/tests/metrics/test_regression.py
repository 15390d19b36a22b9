from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import torch
from sklearn.metrics import mean_absolute_error, mean_squared_error

from tk_evaluator import Evaluator, RegressionError


def evaluate(pred: Any, target: Any) -> dict[str, Any]:
    evaluator = Evaluator(RegressionError())
    evaluator.process({"pred_value": pred, "gt_value": target})
    return evaluator.evaluate(len(target))


@pytest.mark.parametrize("shape", [(50,), (50, 3)], ids=str)
def test_errors_agree_with_scikit_learn(shape: tuple[int, ...]) -> None:
    draw = np.random.default_rng(0)
    pred, target = draw.normal(size=(2, *shape))
    mse = mean_squared_error(target, pred)

    found = evaluate(pred, target)

    # the sums are exact here and pairwise there
    assert found["regression/mae"] == pytest.approx(mean_absolute_error(target, pred), rel=1e-14)
    assert found["regression/mse"] == pytest.approx(mse, rel=1e-14)
    assert found["regression/rmse"] == pytest.approx(math.sqrt(mse), rel=1e-14)


def test_float32_errors_are_summed_in_float64() -> None:
    pred = torch.full((3,), 0.1, dtype=torch.float32)

    assert evaluate(pred, torch.zeros(3))["regression/mae"] == float(pred[0].double())


def test_samples_of_different_shapes_count_by_element() -> None:
    evaluator = Evaluator(RegressionError(pred="p", target="t"))
    evaluator.process([{"p": [1, 1, 1], "t": [0, 0, 0]}, {"p": [5], "t": [0]}])

    assert evaluator.evaluate(2)["regression/mae"] == 2.0


def test_nothing_is_broadcast() -> None:
    with pytest.raises(KeyError, match=r"shape \(1,\) cannot be compared with .* shape \(\)"):
        evaluate(torch.ones(2, 1), torch.ones(2))


def test_no_sample_gives_nan() -> None:
    assert all(math.isnan(v) for v in Evaluator(RegressionError()).evaluate(0).values())
