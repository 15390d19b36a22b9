"""Precision, recall and F1 from a confusion matrix."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np

from tk_registry import check_values, count, one_of, value_rules

from ..errors import FieldError, SettingsError
from ..fields import check_same_length, column, labels
from ..metric import BaseMetric
from .confusion import Counts, confusion_matrix, safe_ratio

Average = Literal["macro", "micro", "weighted", "none"]


@value_rules(average=one_of(*get_args(Average)), num_classes=count(1))
class PrecisionRecallF1(BaseMetric):
    """How much of what was found is right, how much of what is there was found.

    Only classes that occur, as a label or as a prediction, count in an average;
    a ratio without cases is 0, as in scikit-learn. Results are named
    ``precision``, ``recall`` and ``f1``.

    Args:
        average: ``"macro"`` is the plain mean over classes, ``"weighted"``
            weights them by their true samples, ``"micro"`` counts all classes
            together; ``"none"`` gives a list with one value a class.
        num_classes: length of these lists, and the bound of valid labels;
            by default as many as the data set's ``classes``, else as occur.
        pred: field of the predicted label.
        target: field of the true label.
        collect_device: as for `BaseMetric`.
        prefix: as for `BaseMetric`.
        collect_dir: as for `BaseMetric`.
    """

    default_prefix = "classification"
    greater_is_better = {"precision": True, "recall": True, "f1": True}  # noqa: RUF012
    per_sample = True

    def __init__(
        self,
        average: Average = "macro",
        *,
        num_classes: int | None = None,
        pred: str = "pred_label",
        target: str = "gt_label",
        collect_device: str = "cpu",
        prefix: str | None = None,
        collect_dir: str | None = None,
    ) -> None:
        check_values(PrecisionRecallF1, locals(), SettingsError)
        super().__init__(collect_device, prefix, collect_dir)
        self.average = average
        self.num_classes = num_classes
        self._pred, self._target = pred, target

    def process(self, data_batch: Any, data_samples: Any) -> None:
        """Store the true and the predicted label of each sample."""
        target = labels(
            column(self._target, data_samples, data_batch, option="target"), option="target"
        ).tolist()
        pred = labels(
            column(self._pred, data_samples, data_batch, option="pred"), option="pred"
        ).tolist()
        check_same_length({"pred": pred, "target": target})
        self.results += zip(target, pred, strict=True)

    def compute_metrics(self, results: list[Any]) -> dict[str, Any]:
        """The three ratios, averaged as asked."""
        pairs = np.array(list(results), dtype=np.int64).reshape(-1, 2)
        return ratios(self._matrix(pairs), self.average)

    def _matrix(self, pairs: Counts) -> Counts:
        num_classes = self.num_classes or len((self.dataset_meta or {}).get("classes", ()))
        largest = int(pairs.max(initial=-1))
        if int(pairs.min(initial=0)) < 0 or (num_classes and largest >= num_classes):
            raise FieldError(
                f"labels from {int(pairs.min())} to {largest} do not fit "
                f"{num_classes or 'any number of'} classes; labels start at 0, and num_classes "
                "must be larger than the largest of them"
            )
        return confusion_matrix(pairs[:, 0], pairs[:, 1], num_classes or largest + 1)


def ratios(matrix: Counts, average: Average) -> dict[str, Any]:
    """Precision, recall and F1 of a confusion matrix (rows: true classes)."""
    right, found, there = np.diag(matrix), matrix.sum(axis=0), matrix.sum(axis=1)
    if average == "micro":
        right, found, there = (np.array([counts.sum()]) for counts in (right, found, there))
    by_class = {
        "precision": safe_ratio(right, found, empty=0.0),
        "recall": safe_ratio(right, there, empty=0.0),
        # 2 * precision * recall / (precision + recall), without its two roundings
        "f1": safe_ratio(2 * right, found + there, empty=0.0),
    }
    if average == "none":
        return {name: values.tolist() for name, values in by_class.items()}
    occurs = ((found + there) > 0).astype(np.float64)
    weights = there.astype(np.float64) if average == "weighted" else occurs
    if not weights.any():
        return dict.fromkeys(by_class, float("nan"))
    return {name: float(np.average(values, weights=weights)) for name, values in by_class.items()}
