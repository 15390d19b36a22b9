from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import torch
from sklearn.metrics import accuracy_score, jaccard_score

from tk_evaluator import Evaluator, IoU


def evaluate(metric: IoU, pred: Any, target: Any, **meta: Any) -> dict[str, Any]:
    evaluator = Evaluator(metric)
    evaluator.dataset_meta = meta
    evaluator.process(
        [{"pred_sem_seg": p, "gt_sem_seg": t} for p, t in zip(pred, target, strict=True)]
    )
    return evaluator.evaluate(len(target))


def test_iou_agrees_with_scikit_learn() -> None:
    draw = np.random.default_rng(0)
    pred, target = draw.integers(0, 4, (2, 3, 8, 9))

    found = evaluate(IoU(4, by_class=True), pred, target)

    flat = (target.ravel(), pred.ravel())
    by_class = jaccard_score(*flat, average=None)
    assert list(found["segmentation/iou"].values()) == pytest.approx(by_class, abs=1e-15)
    assert found["segmentation/miou"] == pytest.approx(by_class.mean(), abs=1e-15)
    assert found["segmentation/pixel_accuracy"] == accuracy_score(*flat)


def test_ignored_pixels_count_nowhere() -> None:
    found = evaluate(IoU(), [torch.tensor([0, 1, 1])], [torch.tensor([0, 255, 1])])

    assert found == {"segmentation/miou": 1.0, "segmentation/pixel_accuracy": 1.0}


def test_a_class_that_occurs_nowhere_does_not_count_in_the_mean() -> None:
    found = evaluate(IoU(by_class=True), [[0, 1]], [[0, 0]], classes=["a", "b", "c"])

    assert found["segmentation/miou"] == 0.25
    assert found["segmentation/iou"]["a"] == 0.5
    assert math.isnan(found["segmentation/iou"]["c"])


def test_maps_inside_data_containers_are_found() -> None:
    evaluator = Evaluator(IoU())
    evaluator.process(
        [
            {
                "pred_sem_seg": {"data": torch.tensor([[1]])},
                "gt_sem_seg": {"data": torch.tensor([[1]])},
            }
        ]
    )

    assert evaluator.evaluate(1)["segmentation/miou"] == 1.0


@pytest.mark.parametrize(
    ("pred", "target", "said"),
    [
        ([[0, 1, 1]], [[0, 1]], r"shape \(3,\) does not fit a true map of shape \(2,\)"),
        ([[0, 3]], [[0, 1]], "labels from 0 to 3 do not fit 2 classes"),
        ([[0, 1]], [[0, -1]], "labels from -1 to 1 do not fit 2 classes"),
    ],
    ids=["shape", "too large", "negative"],
)
def test_maps_that_do_not_fit_are_refused(pred: Any, target: Any, said: str) -> None:
    with pytest.raises(KeyError, match=said):
        evaluate(IoU(2), pred, target)


def test_no_sample_gives_nan() -> None:
    assert all(math.isnan(v) for v in Evaluator(IoU(3)).evaluate(0).values())
