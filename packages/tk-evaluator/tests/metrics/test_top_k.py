from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import torch
from sklearn.metrics import top_k_accuracy_score

from tk_evaluator import Accuracy, Evaluator, FieldError, SettingsError


def evaluate(metric: Accuracy, samples: Any, batch: Any = None, size: int = 4) -> dict[str, Any]:
    evaluator = Evaluator(metric)
    evaluator.process(samples, batch)
    return evaluator.evaluate(size)


def test_top_k_agrees_with_scikit_learn() -> None:
    draw = np.random.default_rng(0)
    scores, target = draw.random((200, 7)), draw.integers(0, 7, 200)
    found = evaluate(Accuracy((1, 3)), {"pred_score": scores, "gt_label": target}, size=200)

    for k in (1, 3):
        expected = top_k_accuracy_score(target, scores, k=k, labels=range(7))
        assert found[f"accuracy/top{k}"] == expected


@pytest.mark.parametrize(
    "samples",
    [
        [
            {"pred_score": torch.tensor([0.1, 0.9]), "gt_label": 1},
            {"pred_score": [0.6, 0.4], "gt_label": 1},
        ],
        {"pred_score": torch.tensor([[0.1, 0.9], [0.6, 0.4]]), "gt_label": torch.tensor([1, 1])},
        [{"pred_label": 1, "gt_label": 1}, {"pred_label": torch.tensor([0]), "gt_label": [1]}],
    ],
    ids=["samples", "columns", "labels"],
)
def test_samples_come_in_any_of_these_shapes(samples: Any) -> None:
    assert evaluate(Accuracy(), samples, size=2) == {"accuracy/top1": 0.5}


def test_the_true_label_may_come_from_the_loader() -> None:
    found = evaluate(Accuracy(), [{"pred_label": 1}, {"pred_label": 2}], {"gt_label": [1, 1]}, 2)

    assert found == {"accuracy/top1": 0.5}


def test_of_equal_scores_the_smaller_class_is_first_as_in_argmax() -> None:
    samples = [{"pred_score": torch.ones(3), "gt_label": label} for label in (0, 1, 2)]

    assert evaluate(Accuracy((1, 2)), samples, size=3) == {
        "accuracy/top1": 1 / 3,
        "accuracy/top2": 2 / 3,
    }


@pytest.mark.parametrize("at", [0, 1])
def test_a_sample_with_nan_counts_as_wrong(at: int) -> None:
    scores = torch.tensor([0.1, 0.9])
    scores[at] = math.nan

    assert evaluate(Accuracy((1, 2)), [{"pred_score": scores, "gt_label": 1}], size=1) == {
        "accuracy/top1": 0.0,
        "accuracy/top2": 0.0,
    }


def test_more_than_top_1_needs_scores() -> None:
    with pytest.raises(FieldError.__mro__[2], match="no field 'pred_score'"):
        evaluate(Accuracy((1, 5)), [{"pred_label": 1, "gt_label": 1}])


def test_a_label_without_a_score_is_refused() -> None:
    with pytest.raises(
        KeyError, match=r"scores of shape \(2,\) a sample do not fit the labels 0 to 2"
    ):
        evaluate(Accuracy(), {"pred_score": torch.ones(2, 2), "gt_label": [0, 2]})


def test_the_direction_is_declared_for_each_name() -> None:
    assert Accuracy((1, 5)).greater_is_better == {"top1": True, "top5": True}


@pytest.mark.parametrize("top_k", [(), 0, (1, -1)])
def test_ranks_below_one_are_refused(top_k: Any) -> None:
    with pytest.raises(SettingsError, match="top_k must be a whole number of 1 or more"):
        Accuracy(top_k)
