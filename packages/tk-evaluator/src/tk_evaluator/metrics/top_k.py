"""Top-k accuracy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tk_registry import check_values, count, value_rules

from ..errors import FieldError, SettingsError
from ..exact_sum import ratio
from ..fields import check_same_length, column, labels, optional_column, stacked
from ..metric import BaseMetric


def _rank_problems(top_k: Any) -> Iterator[tuple[str, str]]:
    ranks = [top_k] if isinstance(top_k, int) else top_k
    if not isinstance(ranks, Sequence) or not ranks or not all(map(count(1).fits, ranks)):
        yield (
            "top_k",
            (f"top_k must be {count(1).expected} or several such as (1, 5), got {top_k!r}"),
        )


@value_rules(_rank_problems)
class Accuracy(BaseMetric):
    """The share of samples whose true label is among the ``k`` best scores.

    Among equal scores the smaller class comes first, as in an argmax; a sample
    with NaN among its scores counts as wrong. Where there are only predicted
    labels, top 1 is all that can be told. Results are named ``top1``, ``top5``, ….

    Args:
        top_k: one ``k``, or several.
        scores: field of the class scores, ``(num_classes,)`` a sample.
        pred: field of the predicted label, used where there are no scores.
        target: field of the true label.
        collect_device: as for `BaseMetric`.
        prefix: as for `BaseMetric`.
        collect_dir: as for `BaseMetric`.
    """

    default_prefix = "accuracy"
    per_sample = True

    def __init__(
        self,
        top_k: int | Sequence[int] = (1,),
        *,
        scores: str = "pred_score",
        pred: str = "pred_label",
        target: str = "gt_label",
        collect_device: str = "cpu",
        prefix: str | None = None,
        collect_dir: str | None = None,
    ) -> None:
        check_values(Accuracy, locals(), SettingsError)
        super().__init__(collect_device, prefix, collect_dir)
        self.top_k = (top_k,) if isinstance(top_k, int) else tuple(top_k)
        self.greater_is_better = {f"top{k}": True for k in self.top_k}
        self._scores, self._pred, self._target = scores, pred, target

    def process(self, data_batch: Any, data_samples: Any) -> None:
        """Store how many classes come before the true one, for each sample."""
        target = labels(
            column(self._target, data_samples, data_batch, option="target"), option="target"
        )
        scores = optional_column(self._scores, data_samples, data_batch)
        if scores is None:
            self.results += self._by_label(target, data_samples, data_batch).tolist()
            return
        check_same_length({"scores": scores, "target": target.tolist()})
        self.results += num_before(stacked(scores), target).tolist()

    def compute_metrics(self, results: list[Any]) -> dict[str, Any]:
        """``top<k>`` for each ``k``, between 0 and 1."""
        before = np.fromiter(results, dtype=np.int64, count=len(results))
        return {f"top{k}": ratio(int((before < k).sum()), len(before)) for k in self.top_k}

    def _by_label(self, target: Any, data_samples: Any, data_batch: Any) -> Any:
        if max(self.top_k) > 1:
            column(self._scores, data_samples, data_batch, option="scores")  # says what is there
        pred = labels(column(self._pred, data_samples, data_batch, option="pred"), option="pred")
        check_same_length({"pred": pred.tolist(), "target": target.tolist()})
        return np.where(pred == target, 0, np.iinfo(np.int64).max)


def num_before(scores: Any, target: Any) -> Any:
    """How many classes stand before the true one.

    Args:
        scores: ``(num_samples, num_classes)``.
        target: ``(num_samples,)``, labels.
    """
    if not len(target):
        return np.empty(0, dtype=np.int64)
    num_classes = scores.shape[1] if scores.ndim == 2 else 0
    if target.min() < 0 or target.max() >= num_classes:
        raise FieldError(
            f"scores of shape {scores.shape[1:]} a sample do not fit the labels "
            f"{int(target.min())} to {int(target.max())}; give one score for each class"
        )
    own = np.take_along_axis(scores, target[:, None], axis=1)
    is_earlier = np.arange(num_classes)[None] < target[:, None]
    before = ((scores > own) | ((scores == own) & is_earlier)).sum(axis=1)
    return np.where(np.isnan(scores).any(axis=1), np.iinfo(np.int64).max, before)
