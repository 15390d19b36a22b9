"""Metrics written for MMEngine run with their imports changed."""

from __future__ import annotations

from typing import Any

import torch
from evaluator_toys import round_robin

from tk_dist import launch
from tk_evaluator import BaseMetric, Evaluator


class CorrectOfBatch(BaseMetric):
    """One entry a batch, from a pair of whole tensors."""

    def process(self, data_batch, data_samples):
        score, gt = data_samples
        self.results.append(
            {"batch_size": len(gt), "correct": (score.argmax(dim=1) == gt).sum().cpu()}
        )

    def compute_metrics(self, results):
        total_correct = sum(item["correct"] for item in results)
        total_size = sum(item["batch_size"] for item in results)
        return {"accuracy": 100 * total_correct / total_size}


class CorrectOfTensor(BaseMetric):
    """The predictions are one tensor, the labels come from the loader."""

    def process(self, data, preds) -> None:
        self.results.append(((data[1] == preds.cpu()).sum(), len(preds)))

    def compute_metrics(self, results):
        correct, batch_size = zip(*results, strict=False)
        return {"accuracy": sum(correct) / sum(batch_size)}


class LossAndCorrect(BaseMetric):
    """The predictions are a tuple, and computing looks at ``self.results``."""

    def process(self, data, preds) -> None:
        self.results.append(((data[1] == preds[0].cpu()).sum(), preds[1], len(preds[0])))

    def compute_metrics(self, results):
        correct, loss, batch_size = zip(*results, strict=False)
        mean = sum(loss) / len(self.results)
        return {"Accuracy": sum(correct) / sum(batch_size), "Avg_loss": mean}


SCORES = torch.eye(3)[[0, 1, 2, 0, 1, 2, 0, 1]]
LABELS = torch.tensor([0, 1, 2, 0, 0, 0, 0, 0])  # 5 of 8 are right


def evaluate_all() -> list[dict[str, Any]]:
    found = []
    for metric in (CorrectOfBatch(), CorrectOfTensor(), LossAndCorrect()):
        evaluator = Evaluator(metrics=metric)
        mine = round_robin(8)
        for batch in (mine[:3], mine[3:]):
            if not batch:
                continue
            scores, labels = SCORES[batch], LABELS[batch]
            pred = scores.argmax(1)
            samples: Any = {
                CorrectOfBatch: (scores, labels),
                CorrectOfTensor: pred,
                LossAndCorrect: (pred, 0.5),
            }[type(metric)]
            evaluator.process(data_samples=samples, data_batch=[None, labels], indices=batch)
        found.append(evaluator.evaluate(8))
    return found


def test_metrics_of_the_users_guide_give_their_numbers_on_any_number_of_ranks() -> None:
    expected = [{"accuracy": 62.5}, {"accuracy": 0.625}, {"Accuracy": 0.625, "Avg_loss": 0.5}]

    assert evaluate_all() == expected
    for world_size in (2, 3):
        assert launch(evaluate_all, world_size, timeout_s=30.0) == [expected] * world_size
