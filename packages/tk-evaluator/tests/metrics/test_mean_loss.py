from __future__ import annotations

import math
import random

import pytest
import torch

from tk_evaluator import Evaluator, MeanLoss


def test_the_mean_is_the_exact_one_in_any_order() -> None:
    draw = random.Random(0)
    losses = [draw.uniform(0, 1) * 10 ** draw.randrange(-12, 12) for _ in range(500)]
    means = set()
    for _ in range(3):
        draw.shuffle(losses)
        evaluator = Evaluator(MeanLoss())
        for loss in losses:
            evaluator.process([{"loss": loss}])
        means.add(evaluator.evaluate(500)["loss/mean"])

    assert means == {math.fsum(losses) / 500}


def test_means_of_batches_are_weighted_by_their_samples() -> None:
    evaluator = Evaluator(MeanLoss())
    evaluator.process({"loss": torch.tensor(1.0), "num_samples": 3})
    evaluator.process({"loss": 5.0, "num_samples": 1})

    assert evaluator.evaluate(4) == {"loss/mean": 2.0}


def test_a_column_of_losses_is_one_a_sample() -> None:
    evaluator = Evaluator(MeanLoss(loss="nll"))
    evaluator.process({"nll": torch.tensor([1.0, 2.0, 6.0])})

    assert evaluator.evaluate(3) == {"loss/mean": 3.0}


def test_a_batch_mean_of_unknown_weight_is_refused() -> None:
    with pytest.raises(KeyError, match=r"nothing says of how many samples; add 'num_samples'"):
        Evaluator(MeanLoss()).process({"loss": torch.tensor(1.0)})


def test_several_losses_a_sample_are_refused() -> None:
    with pytest.raises(KeyError, match="2 values a sample"):
        Evaluator(MeanLoss()).process({"loss": torch.ones(3, 2)})


def test_half_precision_is_summed_in_float64() -> None:
    evaluator = Evaluator(MeanLoss())
    evaluator.process({"loss": torch.ones(5000, dtype=torch.float16)})

    assert evaluator.evaluate(5000) == {"loss/mean": 1.0}  # a float16 sum stops at 2048


def test_no_sample_gives_nan_and_a_nan_stays_one() -> None:
    evaluator = Evaluator(MeanLoss())
    evaluator.process([{"loss": math.nan}, {"loss": 1.0}])

    assert math.isnan(evaluator.evaluate(2)["loss/mean"])
    assert math.isnan(evaluator.evaluate(0)["loss/mean"])


def test_less_is_better() -> None:
    assert Evaluator(MeanLoss()).rule_of("loss/mean") == "less"
