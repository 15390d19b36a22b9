from __future__ import annotations

import numpy as np
from sklearn.metrics import confusion_matrix as theirs

from tk_evaluator.metrics.confusion import confusion_matrix, safe_ratio


def test_counts_agree_with_scikit_learn() -> None:
    draw = np.random.default_rng(0)
    target, pred = draw.integers(0, 4, (2, 5, 20))

    ours = confusion_matrix(target, pred, 4)

    assert np.array_equal(ours, theirs(target.ravel(), pred.ravel(), labels=range(4)))


def test_a_ratio_without_cases_is_what_is_asked_for() -> None:
    assert safe_ratio(np.array([1, 0]), np.array([2, 0]), empty=-1.0).tolist() == [0.5, -1.0]
