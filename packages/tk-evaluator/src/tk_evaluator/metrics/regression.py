"""Mean absolute and mean squared error."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tk_registry import value_rules

from ..errors import FieldError
from ..exact_sum import exact_sum, ratio
from ..fields import arrays, check_same_length, column
from ..metric import BaseMetric


@value_rules()  # its arguments mean what they mean in the base
class RegressionError(BaseMetric):
    """How far predicted numbers are from the true ones, over all elements of all samples.

    Results are named ``mae``, ``mse`` and ``rmse``.

    Args:
        pred: field of the prediction, any shape.
        target: field of the true value, of the same shape.
        collect_device: as for `BaseMetric`.
        prefix: as for `BaseMetric`.
        collect_dir: as for `BaseMetric`.
    """

    default_prefix = "regression"
    greater_is_better = {"mae": False, "mse": False, "rmse": False}  # noqa: RUF012
    per_sample = True

    def __init__(
        self,
        *,
        pred: str = "pred_value",
        target: str = "gt_value",
        collect_device: str = "cpu",
        prefix: str | None = None,
        collect_dir: str | None = None,
    ) -> None:
        super().__init__(collect_device, prefix, collect_dir)
        self._pred, self._target = pred, target

    def process(self, data_batch: Any, data_samples: Any) -> None:
        """Store the sums of absolute and squared errors and the number of elements, by sample."""
        pred = column(self._pred, data_samples, data_batch, option="pred")
        target = column(self._target, data_samples, data_batch, option="target")
        check_same_length({"pred": pred, "target": target})
        self.results += [_errors(p, t) for p, t in zip(arrays(pred), arrays(target), strict=True)]

    def compute_metrics(self, results: list[Any]) -> dict[str, Any]:
        """``mae``, ``mse`` and ``rmse``."""
        absolute, squared, count = zip(*results, strict=True) if len(results) else ((), (), ())
        mse = ratio(exact_sum(squared), sum(count))
        return {"mae": ratio(exact_sum(absolute), sum(count)), "mse": mse, "rmse": math.sqrt(mse)}


def _errors(pred: Any, target: Any) -> tuple[float, float, int]:
    if pred.shape != target.shape:
        raise FieldError(
            f"a prediction of shape {pred.shape} cannot be compared with a target of shape "
            f"{target.shape}; reshape one of them, nothing is broadcast here"
        )
    off = pred.astype(np.float64) - target.astype(np.float64)
    return float(np.abs(off).sum()), float(np.square(off).sum()), int(off.size)
