"""Evaluation as MMEngine users know it: metrics from configs, several at once, and offline.

Only imports differ, and what the known examples get wrong:

- ``offline_evaluate(data, predictions)`` has its arguments swapped: predictions come first.
- The metrics ``Accuracy`` (of a library for classification), ``COCOMetric`` and
  ``CocoPanopticMetric`` are of other libraries; ours stand in for them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import toy_training

from tk_evaluator import BaseMetric, Evaluator
from tk_fileio import dump, load
from tk_registry import METRICS

NUM_SAMPLES, NUM_CLASSES = 300, 10


@pytest.fixture
def stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> float:
    """Files of data and predictions; what comes back is their accuracy."""
    monkeypatch.chdir(tmp_path)
    draw = np.random.default_rng(0)
    labels = draw.integers(NUM_CLASSES, size=NUM_SAMPLES)
    scores = draw.random((NUM_SAMPLES, NUM_CLASSES))
    scores[np.arange(NUM_SAMPLES), labels] += 0.5
    dump([{"gt_label": int(label)} for label in labels], "test_data.pkl")
    dump([{"pred_score": row.tolist()} for row in scores], "prediction.pkl")
    return float((scores.argmax(1) == labels).mean())


@pytest.mark.parametrize("chunk_size", [1, 128, 1000])
def test_stored_predictions_are_evaluated_offline(stored: float, chunk_size: int) -> None:
    evaluator = Evaluator(metrics=dict(type="Accuracy", top_k=(1, 5)))

    data = load("test_data.pkl", trusted=True)
    predictions = load("prediction.pkl", trusted=True)
    results = evaluator.offline_evaluate(predictions, data, chunk_size=chunk_size)

    assert results["accuracy/top1"] == pytest.approx(stored)
    assert results["accuracy/top1"] < results["accuracy/top5"] <= 1


def test_data_and_predictions_of_other_lengths_are_refused(stored: float) -> None:
    evaluator = Evaluator(metrics=dict(type="Accuracy"))

    with pytest.raises(ValueError, match="300 predictions but 299 entries of data"):
        evaluator.offline_evaluate(
            load("prediction.pkl", trusted=True), load("test_data.pkl", trusted=True)[:-1]
        )


@METRICS.register_module()
class Detection(BaseMetric):
    default_prefix = "coco"

    def __init__(self, metric: Any, ann_file: str) -> None:
        super().__init__()
        self.metric, self.ann_file = metric, ann_file

    def process(self, data_batch: Any, data_samples: Any) -> None:
        self.results += [self.ann_file] * len(data_samples)

    def compute_metrics(self, results: list[Any]) -> dict[str, Any]:
        return {f"{name}_mAP": len(results) / 100 for name in self.metric}


@METRICS.register_module()
class Panoptic(Detection):
    default_prefix = "panoptic"


def test_several_metrics_are_evaluated_in_one_test(tmp_path: Path) -> None:
    test_evaluator = [
        dict(type="Detection", metric=["bbox", "segm"], ann_file="annotations/instances.json"),
        dict(type="Panoptic", metric=["PQ"], ann_file="annotations/panoptic.json"),
    ]
    run = toy_training.runner(
        tmp_path,
        custom_hooks=None,
        test_dataloader=toy_training.loader(),
        test_evaluator=test_evaluator,
    )

    assert run.test() == {
        "coco/bbox_mAP": 0.64,
        "coco/segm_mAP": 0.64,
        "panoptic/PQ_mAP": 0.64,
    }
