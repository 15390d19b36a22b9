"""Intersection over union of label maps."""

from __future__ import annotations

from typing import Any

import numpy as np

from tk_registry import check_values, count, value_rules

from ..errors import FieldError, SettingsError
from ..fields import arrays, check_same_length, column
from ..metric import BaseMetric
from .confusion import Counts, safe_ratio


@value_rules(num_classes=count(1))
class IoU(BaseMetric):
    """Mean intersection over union of predicted and true label maps, over the whole data set.

    A class that occurs neither in the predictions nor in the targets has no
    value and does not count in the mean. Results are named ``miou`` and
    ``pixel_accuracy``, and, where asked for, ``iou`` by class.

    Args:
        num_classes: bound of valid labels; by default the data set's
            ``classes``, else as many as occur.
        ignore_index: pixels whose true label is this one do not count.
        by_class: also give ``iou``, a dict by class name, or by label where
            the data set names no classes.
        pred: field of the predicted label map.
        target: field of the true label map.
        collect_device: as for `BaseMetric`.
        prefix: as for `BaseMetric`.
        collect_dir: as for `BaseMetric`.
    """

    default_prefix = "segmentation"
    greater_is_better = {"miou": True, "pixel_accuracy": True}  # noqa: RUF012
    per_sample = True

    def __init__(
        self,
        num_classes: int | None = None,
        *,
        ignore_index: int | None = 255,
        by_class: bool = False,
        pred: str = "pred_sem_seg",
        target: str = "gt_sem_seg",
        collect_device: str = "cpu",
        prefix: str | None = None,
        collect_dir: str | None = None,
    ) -> None:
        check_values(IoU, locals(), SettingsError)
        super().__init__(collect_device, prefix, collect_dir)
        self.num_classes = num_classes
        self.ignore_index = ignore_index
        self.by_class = by_class
        self._pred, self._target = pred, target

    def process(self, data_batch: Any, data_samples: Any) -> None:
        """Store the pixels shared, predicted and true of each class, by sample."""
        pred = column(self._pred, data_samples, data_batch, option="pred")
        target = column(self._target, data_samples, data_batch, option="target")
        check_same_length({"pred": pred, "target": target})
        self.results += [
            self._areas(p, t) for p, t in zip(arrays(pred), arrays(target), strict=True)
        ]

    def compute_metrics(self, results: list[Any]) -> dict[str, Any]:
        """``miou``, ``pixel_accuracy`` and, where asked for, ``iou``."""
        num_classes = max((areas.shape[1] for areas in results), default=0)
        total = np.zeros((3, max(num_classes, self._num_classes())), dtype=np.int64)
        for areas in results:
            total[:, : areas.shape[1]] += areas
        shared, predicted, true = total
        iou = safe_ratio(shared, predicted + true - shared, empty=np.nan)
        found: dict[str, Any] = {
            "miou": float(np.nanmean(iou)) if not np.isnan(iou).all() else float("nan"),
            "pixel_accuracy": float(safe_ratio(shared.sum(), true.sum(), empty=np.nan)),
        }
        if self.by_class:
            found["iou"] = dict(zip(self._class_names(len(iou)), iou.tolist(), strict=True))
        return found

    def _areas(self, pred: Any, target: Any) -> Counts:
        if pred.shape != target.shape:
            raise FieldError(
                f"a predicted map of shape {pred.shape} does not fit a true map of shape "
                f"{target.shape}; resize the prediction to the target first"
            )
        counted = np.ones(target.shape, dtype=bool)
        if self.ignore_index is not None:
            counted = target != self.ignore_index
        pred, target = pred[counted].astype(np.int64), target[counted].astype(np.int64)
        labels = np.concatenate([pred, target])
        bound = self._num_classes()
        largest = int(labels.max(initial=-1))
        if int(labels.min(initial=0)) < 0 or (bound and largest >= bound):
            raise FieldError(
                f"labels from {int(labels.min())} to {largest} do not fit {bound or 'any'} "
                "classes; set num_classes, or ignore_index for pixels that do not count"
            )
        size = bound or largest + 1
        kinds = (pred[pred == target], pred, target)
        return np.stack([np.bincount(kind, minlength=size) for kind in kinds])

    def _num_classes(self) -> int:
        return self.num_classes or len((self.dataset_meta or {}).get("classes", ()))

    def _class_names(self, count: int) -> list[str]:
        names = [str(name) for name in (self.dataset_meta or {}).get("classes", ())]
        return names if len(names) == count else [str(label) for label in range(count)]
