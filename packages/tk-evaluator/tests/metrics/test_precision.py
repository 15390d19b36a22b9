from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import precision_recall_fscore_support

from tk_evaluator import Evaluator, PrecisionRecallF1, SettingsError


def evaluate(metric: PrecisionRecallF1, pred: Any, target: Any) -> dict[str, Any]:
    evaluator = Evaluator(metric)
    evaluator.process({"pred_label": pred, "gt_label": target})
    return evaluator.evaluate(len(target))


@pytest.mark.parametrize("average", ["macro", "micro", "weighted", "none"])
@pytest.mark.parametrize("seed", range(4))
def test_ratios_agree_with_scikit_learn(average: Any, seed: int) -> None:
    draw = np.random.default_rng(seed)
    pred, target = draw.integers(0, 5, 60), draw.integers(0, 4, 60)  # class 4 is never true
    expected = precision_recall_fscore_support(
        target, pred, average=None if average == "none" else average, zero_division=0.0
    )

    found = evaluate(PrecisionRecallF1(average), pred, target)

    for name, value in zip(("precision", "recall", "f1"), expected[:3], strict=True):
        # both are float64; the order of one division or sum may differ
        assert found[f"classification/{name}"] == pytest.approx(value, abs=1e-15)


def test_a_class_that_never_occurs_does_not_count_in_the_mean() -> None:
    found = evaluate(PrecisionRecallF1(num_classes=10), [0, 1], [0, 1])

    assert found["classification/f1"] == 1.0


def test_lists_are_as_long_as_the_data_set_has_classes() -> None:
    metric = PrecisionRecallF1("none")
    evaluator = Evaluator(metric)
    evaluator.dataset_meta = {"classes": ["a", "b", "c"]}
    evaluator.process({"pred_label": [0, 1], "gt_label": [0, 0]})

    assert evaluator.evaluate(2)["classification/recall"] == [0.5, 0.0, 0.0]


def test_without_samples_the_ratios_are_nan() -> None:
    assert all(math.isnan(v) for v in Evaluator(PrecisionRecallF1()).evaluate(0).values())


def test_labels_beyond_the_classes_are_refused() -> None:
    with pytest.raises(KeyError, match=r"labels from 0 to 3 do not fit 3 classes"):
        evaluate(PrecisionRecallF1(num_classes=3), [0, 3], [0, 1])


def test_an_unknown_average_is_refused() -> None:
    with pytest.raises(SettingsError, match="average must be 'macro' or 'micro'"):
        PrecisionRecallF1("mean")  # type: ignore[arg-type]
