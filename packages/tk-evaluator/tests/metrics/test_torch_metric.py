from __future__ import annotations

import warnings
from typing import Any

import pytest
import torch
from evaluator_toys import batches, round_robin

from tk_dist import launch
from tk_evaluator import Evaluator, SettingsError, TorchMetric

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of what torchmetrics itself imports
    import torchmetrics
    from torchmetrics.classification import MulticlassAccuracy, MulticlassF1Score

SIZE = 23
GENERATOR = torch.Generator().manual_seed(0)
SCORES = torch.rand(SIZE, 4, generator=GENERATOR)
TARGET = torch.randint(0, 4, (SIZE,), generator=GENERATOR)


def metrics(size: int) -> list[TorchMetric]:
    # a state that is merged by a rule of its own; it needs several samples on each rank
    pearson = TorchMetric(torchmetrics.PearsonCorrCoef(), pred="first", target="second")
    return [
        *([pearson] if size == SIZE else []),
        TorchMetric(MulticlassAccuracy(4, average="micro")),
        TorchMetric(
            torchmetrics.MetricCollection([MulticlassAccuracy(4), MulticlassF1Score(4)]),
            prefix="group",
        ),
        TorchMetric(
            "aggregation.CatMetric",
            update=lambda metric, _, samples: metric.update([int(s["index"]) for s in samples]),
        ),
    ]


def evaluate(size: int = SIZE) -> dict[str, Any]:
    evaluator = Evaluator(metrics(size))
    for batch in batches(round_robin(size), 3):
        samples = [
            {
                "pred_score": SCORES[i],
                "gt_label": TARGET[i],
                "first": SCORES[i, 0],
                "second": SCORES[i, 1],
                "index": i,
            }
            for i in batch
        ]
        evaluator.process(samples, indices=batch)
    return evaluator.evaluate(size)


def directly(metric: Any, first: Any, second: Any) -> float:
    metric.update(first, second)
    return float(metric.compute())


def test_one_process_gives_the_metrics_own_value() -> None:
    found = evaluate()

    expected = directly(MulticlassAccuracy(4, average="micro"), SCORES, TARGET)
    assert found["torchmetrics/MulticlassAccuracy"] == expected
    assert found["group/MulticlassF1Score"] == pytest.approx(
        directly(MulticlassF1Score(4), SCORES, TARGET), abs=1e-6
    )


@pytest.mark.parametrize(("world_size", "size"), [(2, SIZE), (3, SIZE), (4, 2)])
def test_the_states_of_all_ranks_are_reduced_once(world_size: int, size: int) -> None:
    alone = evaluate(size)

    for found in launch(evaluate, world_size, size, timeout_s=60.0):
        assert sorted(found.pop("torchmetrics/CatMetric")) == alone["torchmetrics/CatMetric"]
        # float32 states, added in another order
        rest = {name: value for name, value in alone.items() if name in found}
        assert found == pytest.approx(rest, abs=1e-5, nan_ok=True)


def test_a_second_evaluation_starts_afresh() -> None:
    metric = TorchMetric(MulticlassAccuracy(2))
    evaluator = Evaluator(metric)
    values = []
    for label in (0, 1):
        evaluator.process(
            {"pred_score": torch.tensor([[0.9, 0.1]]), "gt_label": torch.tensor([label])}
        )
        values.append(evaluator.evaluate(1)["torchmetrics/MulticlassAccuracy"])

    assert values == [1.0, 0.0]


def test_a_metric_by_name_gets_its_options() -> None:
    metric = TorchMetric("classification.MulticlassAccuracy", options={"num_classes": 3})

    assert metric.metric.num_classes == 3


@pytest.mark.parametrize("name", ["classification.NoSuch", "utilities", "torch.nn.Linear"])
def test_only_metrics_of_torchmetrics_are_reached_by_name(name: str) -> None:
    with pytest.raises(SettingsError, match=f"torchmetrics has no metric '{name}'"):
        TorchMetric(name)


def test_the_direction_is_the_metrics_own() -> None:
    evaluator = Evaluator(TorchMetric(torchmetrics.MeanSquaredError()))

    assert evaluator.rule_of("torchmetrics/MeanSquaredError") == "less"
    assert Evaluator(TorchMetric(MulticlassAccuracy(2))).rule_of("MulticlassAccuracy") is None
