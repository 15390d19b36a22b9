from __future__ import annotations

from typing import Any

import pytest

import tk_evaluator
from tk_evaluator import Evaluator
from tk_evaluator.metrics import ready
from tk_registry import METRICS


@pytest.fixture
def fresh_metrics(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(METRICS, "_module_dict", {})


@pytest.mark.usefixtures("fresh_metrics")
def test_every_ready_metric_is_found_by_name() -> None:
    ready.register()

    for metric in ready.READY:
        assert METRICS.get(metric.__name__) is metric
        assert getattr(tk_evaluator, metric.__name__) is metric


@pytest.mark.usefixtures("fresh_metrics")
def test_a_metric_of_the_user_keeps_its_name() -> None:
    @METRICS.register_module()
    class Accuracy(tk_evaluator.BaseMetric):
        def process(self, data_batch: Any, data_samples: Any) -> None: ...

        def compute_metrics(self, results: list[Any]) -> dict[str, Any]:
            return {}

    evaluator = Evaluator({"type": "Accuracy", "prefix": "mine"})

    assert type(evaluator.metrics[0]) is Accuracy
